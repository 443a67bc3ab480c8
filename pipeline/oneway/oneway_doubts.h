#pragma once
// What the figures of a measurement themselves make doubtful.

#include <cstdint>
#include <vector>

#include "core/time.h"
#include "pipeline/oneway/oneway_run.h"

namespace sojourn {

struct OnewayDoubt {
  enum class What : std::uint8_t {
    different_traffic,  // no packet of one point was seen at the other
    clocks_apart,       // the same packets are further apart than the window: by `usual`
    swapped,            // nearly all packets were at the last point first, `usual` before
    few_in_both,        // only `count` of `of` packets were found at both points
    both_ways,          // packets go both ways, and the method cannot tell which
    cut_packets,        // `count` packets were cut before the bytes that tell them apart
  };
  What what;
  Duration usual{0};  ///< median of the delays
  /// swapped: if it is the clock, it is behind by this much or more.  0: not known.
  Duration behind{0};
  std::uint64_t count = 0, of = 0;
};

/// What the same packets say where the method compared none; at most one.
std::vector<OnewayDoubt> doubts_of_common(const CommonPackets& common, Duration window);

/// What delays and counters say.
std::vector<OnewayDoubt> doubts_of_figures(const OnewayMeasurement& measured, double sampling);

/// Flows that go from the last point to the first: their delays are negative.  Known only if
/// packets go both ways.
std::uint64_t backward_flows(const OnewayMeasurement& measured);

}  // namespace sojourn
