#include "oneway/marking/marking_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/units.h"

namespace sojourn {
namespace {

FlowKey key_of(const MarkingFilter& filter) {
  FlowKey key;
  if (filter.source) key.source = filter.source->network();
  if (filter.destination) key.destination = filter.destination->network();
  key.source_port = filter.source_port.value_or(0);
  key.destination_port = filter.destination_port.value_or(0);
  key.protocol = filter.protocol.value_or(0);
  return key;
}

/// Sums of one flow over its valid intervals.
struct Total {
  std::uint64_t sent = 0, lost = 0;
  std::uint64_t losses = 0, delays = 0;  ///< intervals that gave one
  double sum_ns = 0, squares = 0;
  std::int64_t least_ns = INT64_MAX, most_ns = INT64_MIN;

  void add(const MarkingResult& result) {
    if (result.lost) {
      ++losses;
      sent += result.sent;
      lost += *result.lost;
    }
    if (!result.delay) return;
    const std::int64_t delay = to_ns(*result.delay);
    ++delays;
    // Relative to the first delay, so that squares of large offsets do not absorb the differences.
    if (delays == 1) origin_ = static_cast<double>(delay);
    const double apart = static_cast<double>(delay) - origin_;
    sum_ns += apart;
    squares += apart * apart;
    least_ns = std::min(least_ns, delay);
    most_ns = std::max(most_ns, delay);
  }
  double mean_ns() const { return origin_ + sum_ns / static_cast<double>(delays); }
  double deviation_ns() const {
    const double mean = sum_ns / static_cast<double>(delays);
    return std::sqrt(std::max(0.0, squares / static_cast<double>(delays) - mean * mean));
  }

 private:
  double origin_ = 0;
};

FlowDelay flow_delay(const MarkingFilter& filter, const Total& total) {
  FlowDelay flow;
  flow.key = key_of(filter);
  flow.packets = total.sent;
  if (total.losses > 0) flow.lost = total.lost;
  if (total.delays > 0) {
    flow.mean_ns = total.mean_ns();
    flow.stddev_ns = total.deviation_ns();
    flow.min_ns = total.least_ns;
    flow.max_ns = total.most_ns;
  }
  return flow;
}

ResultTable interval_table(const MarkingSetup& setup, std::span<const MarkingResult> results) {
  ResultTable table{.name = "intervals",
                    .title = "Intervals of " + setup.length.name() + ", " +
                             std::string{name_of(setup.method)} + " marking",
                    .columns = {"flow", "start_ns", "intervals", "sent", "received", "lost",
                                "delay_ns", "guard_ns", "not_valid"},
                    .rows = {}};
  for (const MarkingResult& result : results)
    table.rows.push_back({setup.flows[result.flow].text(), result.start(), result.intervals,
                          result.sent, result.received, result.lost,
                          result.delay ? Cell{to_ns(*result.delay)} : Cell{}, to_ns(result.guard),
                          result.faults.none() ? Cell{} : Cell{result.faults.text()}});
  return table;
}

/// From each point to the next, all flows together.
ResultTable hop_table(const MarkJudgeOptions& options, const PointRecords& one,
                      const PointRecords& other, std::span<const MarkingHop> hops) {
  ResultTable table{.name = "hops",
                    .title = "From point to point, valid intervals only",
                    .columns = {"from", "to", "intervals", "sent", "lost", "pulses",
                                "delay_mean_ns", "delay_min_ns", "delay_max_ns"},
                    .rows = {}};
  std::vector<std::pair<std::string, const PointRecords*>> points = {{"first", &one}};
  for (const MarkingHop& hop : hops) points.emplace_back(hop.name, &hop.records);
  points.emplace_back("last", &other);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    Total total;
    for (const MarkingResult& row : collect(options, *points[i].second, *points[i + 1].second))
      total.add(row);
    const bool timed = total.delays > 0;
    table.rows.push_back(
        {points[i].first, points[i + 1].first, std::max(total.losses, total.delays), total.sent,
         total.losses > 0 ? Cell{total.lost} : Cell{}, total.delays,
         timed ? Cell{std::llround(total.mean_ns())} : Cell{},
         timed ? Cell{total.least_ns} : Cell{}, timed ? Cell{total.most_ns} : Cell{}});
  }
  return table;
}

}  // namespace

OnewayResult summarise_marking(const MarkingSetup& setup, const MarkJudgeOptions& options,
                               const PointRecords& one, const PointRecords& other,
                               std::span<const MarkingHop> hops) {
  OnewayResult result;
  const auto rows = collect(options, one, other);
  std::vector<Total> totals(setup.flows.size());
  std::array<std::uint64_t, marking_fault_names.size()> faults{};
  std::uint64_t valid = 0, copies = 0;
  for (const MarkingResult& row : rows) {
    copies += row.copies;
    totals[row.flow].add(row);
    valid += row.faults.none();
    for (std::size_t i = 0; i < faults.size(); ++i)
      faults[i] += row.faults.has(static_cast<MarkingFault>(i))
                       ? static_cast<std::uint64_t>(row.intervals)
                       : 0;
  }
  result.counters.emplace_back("valid-intervals", valid);
  for (std::size_t i = 0; i < faults.size(); ++i)
    if (faults[i] > 0) result.counters.emplace_back(marking_fault_names[i], faults[i]);
  if (copies > 0) {
    result.counters.emplace_back("copies", copies);
    result.notes.emplace_back(
        "Some packets came twice at the last point and once at the first: copies made on the "
        "way, which are not counted as received.");
  }
  std::uint64_t sent = 0, lost = 0;
  bool any = false;
  for (std::size_t flow = 0; flow < totals.size(); ++flow) {
    if (totals[flow].losses + totals[flow].delays > 0)
      result.flows.push_back(flow_delay(setup.flows[flow], totals[flow]));
    any |= totals[flow].losses > 0;
    sent += totals[flow].sent;
    lost += totals[flow].lost;
  }
  if (any) {
    result.sent = sent;
    result.lost = lost;
  }
  result.tables.push_back(interval_table(setup, rows));
  if (!hops.empty()) result.tables.push_back(hop_table(options, one, other, hops));
  if (faults[static_cast<std::size_t>(MarkingFault::rewritten)] > 0)
    result.notes.emplace_back(
        "Marks do not arrive as they were set: something between the points rewrites the field "
        "that carries them, or takes them away. Packets are not lost for that.");
  return result;
}

bool nothing_is_valid(const OnewayResult& summary) {
  return summary.counters.front().second == 0 && !summary.tables.front().rows.empty();
}

}  // namespace sojourn
