#include "capture/ranged_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace sojourn {
namespace {

constexpr std::chrono::minutes furthest_step_back{1};

std::string words_for(Timestamp time) {
  const std::string text = format_time(time);
  return text.substr(0, 10) + " " + text.substr(11, 12);
}

}  // namespace

Source::Filled RangedSource::next(std::span<Packet> batch) {
  Filled filled = source_->next(batch);
  if (!resolved_ && filled.count > 0) resolved_ = range_.resolve(batch[0].time);
  std::size_t kept = 0;
  bool behind = filled.count > 0;
  for (std::size_t i = 0; i < filled.count; ++i) {
    earliest_ = std::min(earliest_, batch[i].time);
    latest_ = std::max(latest_, batch[i].time);
    behind = behind && difference(batch[i].time, resolved_->to) > furthest_step_back;
    if (!resolved_->has(batch[i].time)) continue;
    batch[kept] = batch[i];
    tally_.add(batch[kept]);
    ++kept;
  }
  passed_ += kept;
  kept_back_ += filled.count - kept;
  counters_ = source_->counters();
  counters_.packets = passed_;
  tally_.report(counters_);
  counters_.filtered += kept_back_;
  const bool end = filled.end || behind;
  if (end && passed_ == 0 && kept_back_ > 0 && warnings_.empty()) {
    warnings_.assign(source_->warnings().begin(), source_->warnings().end());
    warnings_.push_back(
        fmt::format("no packet lies in the range asked for: those read are from {} to {} UTC",
                    words_for(earliest_), words_for(latest_)));
  }
  return {kept, end};
}

}  // namespace sojourn
