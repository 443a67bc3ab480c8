#include "oneway/marking/marking_multipoint.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "core/parse.h"
#include "oneway/marking/marking_pairing.h"

namespace sojourn {
namespace {

Result<std::uint32_t> parse_point(std::string_view text) {
  if (text == "first") return 0;
  if (text == "last") return last_point;
  const auto number = parse_count(text, 1, 1'000'000);
  if (number) return static_cast<std::uint32_t>(*number);
  return failure("'" + std::string{text} + "' is not a point: first, 1, 2 and so on, or last");
}

/// What live points report about their intervals: all of them must have read one, and a doubt of
/// one point applies to all.
void join_readings(std::span<const PointRecords* const> points, PointRecords& all) {
  bool is_live = false;
  for (const PointRecords* point : points) {
    all.doubts.insert(all.doubts.end(), point->doubts.begin(), point->doubts.end());
    if (point->read.empty()) continue;
    std::vector<std::int64_t> both;
    if (is_live) std::ranges::set_intersection(all.read, point->read, std::back_inserter(both));
    all.read = is_live ? std::move(both) : point->read;
    is_live = true;
  }
  std::ranges::sort(all.doubts);
  if (is_live && all.read.empty()) all.span = {};  // no interval that all of them have read
}

}  // namespace

Result<std::vector<PathSegment>> parse_segments(std::string_view text) {
  std::vector<PathSegment> segments;
  for (const std::string_view part : split_at_commas(text)) {
    const auto dash = part.find('-');
    if (dash == part.npos)
      return failure("'" + std::string{part} + "' is not two points with - between, as first-1");
    const auto from = parse_point(part.substr(0, dash)), to = parse_point(part.substr(dash + 1));
    if (!from) return std::unexpected(from.error());
    if (!to) return std::unexpected(to.error());
    if (*from == *to || *from == last_point || *to == 0)
      return failure("'" + std::string{part} + "' leads nowhere: from first on, and to last");
    segments.push_back({*from, *to});
  }
  return segments;
}

std::string contradiction_of(std::span<const PathSegment> segments, std::size_t between) {
  std::set<std::uint32_t> met;
  for (const PathSegment& segment : segments) met.insert({segment.from, segment.to});
  for (const std::uint32_t point : met)
    if (point != last_point && point > between)
      return "there is no point " + std::to_string(point) + ", there are " +
             std::to_string(between) + " between the first and the last";
  if (!met.contains(0)) return "no segment begins at first";
  if (!met.contains(last_point)) return "no segment ends at last";
  for (std::uint32_t point = 1; point <= between; ++point)
    if (!met.contains(point)) return "no segment touches point " + std::to_string(point);
  return {};
}

PointRecords joined(std::span<const PointRecords* const> points) {
  PointRecords all{.span = {Timestamp::min(), Timestamp::max()}, .records = {}};
  for (const PointRecords* point : points) {
    all.span.since = std::max(all.span.since, point->span.since);
    all.span.until = std::min(all.span.until, point->span.until);
    // By interval first: a point that read a counter twice has read it late, not early.
    for (MarkingRecord record : merged_by_interval(point->records, MarkingMethod::step)) {
      record.pulses = 0;
      all.records.push_back(record);
    }
  }
  // merged_by_interval() keeps the latest reading of equal records; for different points the
  // earliest counts.
  std::map<std::tuple<std::uint32_t, int, std::int64_t>, Timestamp> earliest;
  for (const MarkingRecord& record : all.records) {
    const auto [found, is_new] = earliest.try_emplace(
        {record.flow, record.length.exponent(), record.interval}, record.read_at);
    if (!is_new) found->second = std::min(found->second, record.read_at);
  }
  all.records = merged_by_interval(all.records, MarkingMethod::step);
  for (MarkingRecord& record : all.records)
    record.read_at = earliest.at({record.flow, record.length.exponent(), record.interval});
  join_readings(points, all);
  return all;
}

std::vector<Cluster> clusters_of(std::span<const PathSegment> segments) {
  std::vector<std::size_t> parent(segments.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  std::map<std::uint32_t, std::size_t> begins, ends;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    parent[root(i)] = root(begins.try_emplace(segments[i].from, i).first->second);
    parent[root(i)] = root(ends.try_emplace(segments[i].to, i).first->second);
  }
  std::map<std::size_t, Cluster> by_root;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Cluster& cluster = by_root[root(i)];
    cluster.in.push_back(segments[i].from);
    cluster.out.push_back(segments[i].to);
  }
  std::vector<Cluster> clusters;
  for (auto& [number, cluster] : by_root) {
    for (auto* points : {&cluster.in, &cluster.out}) {
      std::ranges::sort(*points);
      points->erase(std::unique(points->begin(), points->end()), points->end());
    }
    clusters.push_back(cluster);
  }
  std::ranges::sort(clusters, {}, &Cluster::in);
  return clusters;
}

}  // namespace sojourn
