#pragma once
// Loss over networks with many entries and exits: RFC 9342.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "oneway/marking/marking_collector.h"

namespace sojourn {

/// Several points as one: their joint counts per interval.  Loss between a set of entries and a set
/// of exits is then that between two points (RFC 9342 section 5: sum in minus sum out):
///
///     collect({.method = MarkingMethod::step}, joined(ways_in), joined(ways_out))
///
/// The set has observed what all of its points have observed; pulses of different points do not
/// pair and are dropped.
PointRecords joined(std::span<const PointRecords* const> points);

/// A path between two measurement points, by their numbers: 0 is the first, `last_point` the last,
/// and those between are counted from 1.
struct PathSegment {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend auto operator<=>(const PathSegment&, const PathSegment&) = default;
};

inline constexpr std::uint32_t last_point = 0xffff'ffff;

/// "first-1,first-2,1-last,2-last".
Result<std::vector<PathSegment>> parse_segments(std::string_view text);
/// Why segments between the first point, `between` others and the last are invalid: a point that
/// does not exist, or one that no segment touches.  Empty if they are valid.
std::string contradiction_of(std::span<const PathSegment> segments, std::size_t between);

/// The smallest part of a network whose incoming packets all leave it, or are lost in it.
struct Cluster {
  std::vector<std::uint32_t> in;   ///< points where packets enter, in order
  std::vector<std::uint32_t> out;  ///< points where they leave
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// RFC 9342 section 6.1: segments that begin at the same point belong together, and so do those
/// that end at the same point.  Every segment is in one cluster; clusters come in the order of
/// their first entry.
std::vector<Cluster> clusters_of(std::span<const PathSegment> segments);

}  // namespace sojourn
