#include "oneway/marking/marking_method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "oneway/marking/marking_clusters.h"

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
    // About the first delay, so that squares of large offsets do not swallow the differences.
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
                    .columns = {"flow", "start", "intervals", "sent", "received", "lost",
                                "delay_ns", "guard_ns", "not_valid"},
                    .rows = {}};
  for (const MarkingResult& result : results)
    table.rows.push_back({setup.flows[result.flow].text(), format_time(result.start()),
                          result.intervals, result.sent, result.received, result.lost,
                          result.delay ? Cell{to_ns(*result.delay)} : Cell{}, to_ns(result.guard),
                          result.faults.none() ? Cell{} : Cell{result.faults.text()}});
  return table;
}

class MarkingMethodRun final : public OnewayMethod {
 public:
  using ReadPoint = std::function<Result<PointRecords>(const std::string&)>;

  MarkingMethodRun(const MarkingSetup& setup, Duration clock_error, std::vector<std::string> via,
                   ReadPoint read_point, std::vector<PathSegment> segments, MarkingMonitor first,
                   MarkingMonitor last)
      : setup_(setup),
        options_{setup.method, clock_error},
        via_(std::move(via)),
        read_point_(std::move(read_point)),
        segments_(std::move(segments)),
        first_(std::move(first)),
        last_(std::move(last)) {}

  void first(std::span<const IpPacket> batch) override { first_.process(batch); }
  void last(std::span<const IpPacket> batch) override { last_.process(batch); }

  OnewayResult finish() override {
    OnewayResult result;
    result.memory_bytes = first_.memory_bytes() + last_.memory_bytes();
    const PointRecords one = first_.finish(), other = last_.finish();
    const auto rows = collect(options_, one, other);

    std::vector<Total> totals(setup_.flows.size());
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
    result.counters.emplace_back("without-carrier",
                                 first_.without_carrier() + last_.without_carrier());
    std::uint64_t sent = 0, lost = 0;
    bool any = false;
    for (std::size_t flow = 0; flow < totals.size(); ++flow) {
      if (totals[flow].losses + totals[flow].delays > 0)
        result.flows.push_back(flow_delay(setup_.flows[flow], totals[flow]));
      any |= totals[flow].losses > 0;
      sent += totals[flow].sent;
      lost += totals[flow].lost;
    }
    if (any) {
      result.sent = sent;
      result.lost = lost;
    }
    result.tables.push_back(interval_table(setup_, rows));
    if (!via_.empty()) {
      std::vector<Hop> hops;
      for (const std::string& name : via_) {
        auto records = read_point_(name);
        if (records)
          hops.push_back({name, std::move(*records)});
        else
          result.notes.emplace_back("This point is left out: " + records.error().message);
      }
      if (segments_.empty()) {
        result.tables.push_back(hop_table(one, other, hops));
      } else if (hops.size() == via_.size()) {
        std::vector<const PointRecords*> points = {&one};
        for (const Hop& hop : hops) points.push_back(&hop.records);
        points.push_back(&other);
        for (ResultTable& table : cluster_tables(setup_, options_.clock_error, points, segments_))
          result.tables.push_back(std::move(table));
      }
    }
    if (first_.seems_reversed() && last_.seems_reversed())
      result.notes.emplace_back(
          "The colours are the other way round: nearly all packets of even intervals carry 1, "
          "those of odd ones 0. Either they were marked like that, or both clocks are off by an "
          "odd number of intervals.",
          Advice::reversed_colours);
    else if (valid == 0 && !rows.empty())
      result.notes.emplace_back(
          "No interval is valid. Are the captures of marked traffic, and are the carrier, the "
          "marking and the interval those it was marked with?",
          Advice::marking);
    return result;
  }

 private:
  struct Hop {
    std::string name;
    PointRecords records;
  };

  /// From each point to the next, all flows together.
  ResultTable hop_table(const PointRecords& one, const PointRecords& other,
                        const std::vector<Hop>& hops) const {
    ResultTable table{.name = "hops",
                      .title = "From point to point, valid intervals only",
                      .columns = {"from", "to", "intervals", "sent", "lost", "pulses",
                                  "delay_mean_ns", "delay_min_ns", "delay_max_ns"},
                      .rows = {}};
    std::vector<std::pair<std::string, const PointRecords*>> points = {{"FIRST", &one}};
    for (const Hop& hop : hops) points.emplace_back(hop.name, &hop.records);
    points.emplace_back("LAST", &other);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      Total total;
      for (const MarkingResult& row : collect(options_, *points[i].second, *points[i + 1].second))
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

  MarkingSetup setup_;
  CollectorOptions options_;
  std::vector<std::string> via_;
  ReadPoint read_point_;
  std::vector<PathSegment> segments_;
  MarkingMonitor first_, last_;
};

}  // namespace

Result<std::unique_ptr<OnewayMethod>> make_marking(
    const MarkingSetup& setup, Duration clock_error, std::vector<std::string> via,
    std::function<Result<PointRecords>(const std::string&)> read_point,
    std::vector<PathSegment> segments) {
  if (!segments.empty())
    if (const auto reason = contradiction_of(segments, via.size()); !reason.empty())
      return failure("segments: " + reason);
  auto first = MarkingMonitor::make(setup, MarkingRole::observing);
  if (!first) return std::unexpected(first.error());
  auto last = MarkingMonitor::make(setup, MarkingRole::observing);
  if (!last) return std::unexpected(last.error());
  return std::make_unique<MarkingMethodRun>(setup, clock_error, std::move(via),
                                            std::move(read_point), std::move(segments),
                                            std::move(*first), std::move(*last));
}

}  // namespace sojourn
