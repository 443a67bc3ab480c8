#include "pipeline/point/local_point.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/point/clock_state.h"

namespace sojourn {
namespace {

RttOptions giving_samples(RttOptions options) {
  options.want_samples = true;
  return options;
}

}  // namespace

LocalPoint::LocalPoint(const LocalPointOptions& options)
    : options_(options), cells_(options.cells), rtt_(giving_samples(options.rtt), &cells_) {}

void LocalPoint::process(std::span<const Packet> packets) {
  frames_ += packets.size();
  rtt_.process(packets);
}

std::optional<PointReport> LocalPoint::advance(Timestamp now) {
  // A clock that steps back does not stop the reports.
  if (now < now_) next_report_ = std::min(next_report_, now + options_.every);
  now_ = now;
  if (next_report_ == Timestamp{}) next_report_ = now + options_.every;
  if (now < next_report_) return std::nullopt;
  next_report_ = now + options_.every;
  return report(now);
}

PointReport LocalPoint::finish(Timestamp now) {
  rtt_.finish();
  return report(now);
}

bool LocalPoint::run(Source& source, const std::atomic<bool>& stop, const GoOn& go_on,
                     const std::function<Timestamp()>& clock,
                     const std::function<void(PointReport)>& take) {
  bool is_over = false;
  std::vector<Packet> batch(256);
  loop_live(stop, go_on, [&] {
    const Source::Filled filled = source.next(batch);
    process({batch.data(), filled.count});
    note_drops(source.counters().kernel_drops);
    if (auto report = advance(clock())) take(std::move(*report));
    is_over = filled.end;
    return !filled.end;
  });
  take(finish(clock()));
  return is_over;
}

PointReport LocalPoint::report(Timestamp now) {
  PointReport report;
  report.point = options_.point;
  report.number = next_number_++;
  report.exported = now;
  report.clock = read_clock_state();
  PointCounters counters;
  // Nothing is selected for flow records: there is no second point to meet them.
  counters.packets_seen = counters.packets_not_selected = frames_;
  counters.packets_dropped = kernel_drops_;
  report.counters = counters;
  cells_.move_to(report.cells);
  return report;
}

std::size_t LocalPoint::memory_bytes() const {
  return rtt_.memory().table_bytes + rtt_.memory().connection_bytes;
}

}  // namespace sojourn
