#pragma once
// Round-trip times with the statistics that FRIDGE and STAGED state for their traces.

#include <algorithm>
#include <array>

#include "lab/random.h"

namespace sojourn {

/// A part of the traffic whose delays are log-normal.
struct DelayPart {
  double share, median_ms, sigma;
};

/// Near, continental, far and slow.  Solved numerically for what the papers state: mean 57.6 ms
/// (FRIDGE section 5: 57.8), median 44.1 ms and 99th percentile 500 ms (STAGED section 3.1: 44,
/// 500).
inline constexpr std::array<DelayPart, 4> border_delays = {
    DelayPart{0.25, 24, 0.5}, {0.695, 47, 0.25}, {0.035, 170, 0.3}, {0.02, 500, 0.4}};

/// By default `sojourn rtt` forgets a request after ten seconds: no delay is longer.
inline constexpr double longest_delay_ns = 9e9;

/// In nanoseconds.  `place` from 0 to 1 selects the part; evenly spaced places keep the shares even
/// with few draws.
inline double draw_delay_ns(Random& random, double place) {
  const DelayPart* part = border_delays.begin();
  while (place >= part->share && part + 1 != border_delays.end()) place -= (part++)->share;
  return std::min(1e6 * random.lognormal(part->median_ms, part->sigma), longest_delay_ns);
}
inline double draw_delay_ns(Random& random) { return draw_delay_ns(random, random.uniform()); }

}  // namespace sojourn
