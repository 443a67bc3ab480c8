#include "oneway/marking/marking_clusters.h"

#include <utility>

#include "core/units.h"

namespace sojourn {
namespace {

std::string names_of(std::span<const std::uint32_t> points) {
  std::string names;
  for (const std::uint32_t point : points) {
    if (!names.empty()) names += '+';
    names += point == 0 ? "first" : point == last_point ? "last" : std::to_string(point);
  }
  return names;
}

PointRecords joined_points(std::span<const PointRecords* const> all,
                           std::span<const std::uint32_t> chosen) {
  std::vector<const PointRecords*> points;
  for (const std::uint32_t point : chosen)
    points.push_back(point == last_point ? all.back() : all[point]);
  return joined(points);
}

}  // namespace

std::vector<ResultTable> cluster_tables(const MarkingSetup& setup, Duration clock_error,
                                        std::span<const PointRecords* const> points,
                                        std::span<const PathSegment> segments) {
  ResultTable totals{.name = "clusters",
                     .title = "Clusters (RFC 9342), valid intervals only",
                     .columns = {"in", "out", "intervals", "sent", "lost"},
                     .rows = {}};
  ResultTable intervals{.name = "cluster_intervals",
                        .title = "Intervals of " + setup.length.name() + " of each cluster",
                        .columns = {"in", "out", "flow", "start_ns", "intervals", "sent",
                                    "received", "lost", "not_valid"},
                        .rows = {}};
  for (const Cluster& cluster : clusters_of(segments)) {
    const std::string in = names_of(cluster.in), out = names_of(cluster.out);
    std::uint64_t valid = 0, sent = 0, lost = 0;
    for (const MarkingResult& row :
         collect({.method = MarkingMethod::step, .clock_error = clock_error},
                 joined_points(points, cluster.in), joined_points(points, cluster.out))) {
      if (row.lost) {
        ++valid;
        sent += row.sent;
        lost += *row.lost;
      }
      intervals.rows.push_back({in, out, setup.flows[row.flow].text(), row.start(), row.intervals,
                                row.sent, row.received, row.lost,
                                row.faults.none() ? Cell{} : Cell{row.faults.text()}});
    }
    totals.rows.push_back({in, out, valid, sent, valid > 0 ? Cell{lost} : Cell{}});
  }
  std::vector<ResultTable> tables;
  tables.push_back(std::move(totals));
  tables.push_back(std::move(intervals));
  return tables;
}

}  // namespace sojourn
