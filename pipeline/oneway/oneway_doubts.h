#pragma once
// Doubts about a measurement that follow from its own figures.

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
    both_ways,          // packets go both ways, and the method cannot tell them apart
    cut_packets,        // `count` packets were cut before the bytes that tell them apart
  };
  What what;
  Duration usual{0};  ///< median of the delays
  /// swapped: if the clock is the cause, it is behind by this much or more.  0: not known.
  Duration behind{0};
  std::uint64_t count = 0, of = 0;
};

/// Doubts from packets seen at both points, for methods that compare none; at most one.
std::vector<OnewayDoubt> doubts_of_common(const CommonPackets& common, Duration window);

/// Doubts from delays and counters.
std::vector<OnewayDoubt> doubts_of_figures(const OnewayMeasurement& measured, double sampling);

/// Flows that go from the last point to the first: their delays are negative.  Known only if
/// packets go both ways.
std::uint64_t backward_flows(const OnewayMeasurement& measured);

}  // namespace sojourn
