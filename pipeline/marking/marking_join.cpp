#include "pipeline/marking/marking_join.h"

#include <span>
#include <utility>

#include "oneway/marking/marking_clusters.h"
#include "oneway/marking/marking_summary.h"

namespace sojourn {
namespace {

PointInput input_of_point(const PointRecords& point) {
  PointInput input;
  for (const MarkingRecord& record : point.records) input.packets += record.packets;
  if (point.span.since <= point.span.until) {
    input.first = point.span.since;
    input.last = point.span.until;
  }
  return input;
}

std::vector<MarkingHop> hops_of(const std::vector<MarkingPointFile>& files,
                                const JoinedMarking& joined) {
  std::vector<MarkingHop> hops;
  for (std::size_t i = 1; i + 1 < files.size(); ++i)
    hops.push_back({files[i].point, joined.points[i]});
  return hops;
}

void add_clusters(const JoinedMarking& joined, const OnewaySetup& setup, OnewayResult& result) {
  std::vector<const PointRecords*> points;
  for (const PointRecords& point : joined.points) points.push_back(&point);
  for (ResultTable& table :
       cluster_tables(joined.setup, setup.clock_error.value_or(joined.largest_clock_error), points,
                      setup.segments))
    result.tables.push_back(std::move(table));
}

}  // namespace

Result<MarkingMeasurement> measure_marking_points(const std::vector<MarkingPointFile>& files,
                                                  const OnewaySetup& setup) {
  const auto joined = join_marking(files);
  if (!joined) return std::unexpected(joined.error());
  MarkingMeasurement marking;
  OnewayMeasurement& measured = marking.measured;
  marking.clock_error = setup.clock_error ? setup.clock_error : joined->clock_error;
  std::vector<MarkingHop> hops;
  if (setup.segments.empty()) hops = hops_of(files, *joined);
  measured.result = summarise_marking(
      joined->setup, {joined->setup.method, marking.clock_error.value_or(Duration{})},
      joined->points.front(), joined->points.back(), hops);
  if (!setup.segments.empty()) add_clusters(*joined, setup, measured.result);
  measured.inputs = {input_of_point(joined->points.front()), input_of_point(joined->points.back())};
  add_flow_means(measured);
  if (nothing_is_valid(measured.result))
    measured.result.notes.emplace_back(
        "No interval is valid; the column not_valid of the intervals says why.");
  return marking;
}

}  // namespace sojourn
