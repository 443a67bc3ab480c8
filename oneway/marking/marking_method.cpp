#include "oneway/marking/marking_method.h"

#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "oneway/marking/marking_clusters.h"
#include "oneway/marking/marking_summary.h"

namespace sojourn {
namespace {

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
    const PointRecords one = first_.finish(), other = last_.finish();
    std::vector<MarkingHop> hops;
    std::vector<std::string> unread;
    for (const std::string& name : via_) {
      auto records = read_point_(name);
      if (records)
        hops.push_back({name, std::move(*records)});
      else
        unread.push_back(records.error().message);
    }
    OnewayResult result = summarise_marking(
        setup_, options_, one, other,
        segments_.empty() ? std::span<const MarkingHop>{hops} : std::span<const MarkingHop>{});
    result.memory_bytes = first_.memory_bytes() + last_.memory_bytes();
    result.counters.emplace_back("without-carrier",
                                 first_.without_carrier() + last_.without_carrier());
    for (const std::string& reason : unread)
      result.notes.emplace_back("This point is left out: " + reason);
    if (!segments_.empty() && unread.empty()) {
      std::vector<const PointRecords*> points = {&one};
      for (const MarkingHop& hop : hops) points.push_back(&hop.records);
      points.push_back(&other);
      for (ResultTable& table : cluster_tables(setup_, options_.clock_error, points, segments_))
        result.tables.push_back(std::move(table));
    }
    if (first_.seems_reversed() && last_.seems_reversed())
      result.notes.emplace_back(
          "The colours are the other way round: nearly all packets of even intervals carry 1, "
          "those of odd ones 0. Either they were marked like that, or both clocks are off by an "
          "odd number of intervals.",
          Advice::reversed_colours);
    else if (nothing_is_valid(result))
      result.notes.emplace_back(
          "No interval is valid. Are the captures of marked traffic, and are the carrier, the "
          "marking and the interval those it was marked with?",
          Advice::marking);
    return result;
  }

 private:
  MarkingSetup setup_;
  MarkJudgeOptions options_;
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
