#include "collector/marking_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace sojourn {
namespace {

constexpr Duration longest_step = std::chrono::seconds{1};
constexpr std::size_t most_points = 65'536;

}  // namespace

void MarkingWatch::resume(const PointIdentity& point, Duration interval, MarkingState state) {
  if (state != MarkingState::running && state != MarkingState::silent) return;
  // Until it says so itself, its run is as old as can be: whatever it sends is newer.
  points_[point.name] = {point.instance, Timestamp::min(), patience_with(interval), listened_,
                         state};
}

std::vector<MarkingNews> MarkingWatch::heard(const PointIdentity& point, const WatchedRun& run) {
  const auto known = points_.find(point.name);
  const bool is_known = known != points_.end();
  if (!is_known && points_.size() >= most_points) return {};
  const Watched before = is_known ? known->second : Watched{};
  // Out of the spool of an earlier run.
  if (is_known && run.since < before.since) return {};
  const Watched now{point.instance, run.since, patience_with(run.length), listened_,
                    run.ended ? MarkingState::ended : MarkingState::running};
  points_[point.name] = now;
  const bool is_new = !is_known || before.instance != point.instance;
  if (!is_new && before.state == now.state) return {};
  const Duration silence = listened_ - before.heard_at;
  std::vector<MarkingNews> all = {{point, now.state, {}}};
  if (is_known && before.state == MarkingState::silent)
    all[0].sentence =
        fmt::format("{} reports again{}{}", point.name,
                    before.since == Timestamp::min() ? "" : ", after " + format_duration(silence),
                    is_new ? ": it was started anew" : "");
  // It went so quickly that nobody has missed it.
  if (is_known && is_new && before.state == MarkingState::running)
    all.push_back({{point.name, before.instance},
                   MarkingState::silent,
                   fmt::format("{} was started anew without having ended; between them it did not "
                               "mark or count",
                               point.name)});
  return all;
}

std::vector<MarkingNews> MarkingWatch::advance(Timestamp now) {
  if (last_) listened_ += std::clamp<Duration>(now - *last_, Duration{}, longest_step);
  last_ = now;
  std::vector<MarkingNews> all;
  for (auto& [name, watched] : points_) {
    const Duration silence = listened_ - watched.heard_at;
    if (watched.state != MarkingState::running || silence <= watched.patience) continue;
    watched.state = MarkingState::silent;
    all.push_back({{name, watched.instance},
                   MarkingState::silent,
                   fmt::format("{} has been silent for {}: it died, and what it marked or "
                               "counted stopped, or it cannot reach this collector",
                               name, format_duration(silence))});
  }
  return all;
}

}  // namespace sojourn
