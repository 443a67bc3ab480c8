#pragma once
// Which leg of the path the delay is on.

#include <cstdint>
#include <optional>

#include "core/kind.h"
#include "estimate/distribution/distribution.h"
#include "estimate/measurement.h"

namespace sojourn {

/// The two legs side by side, by one kind of round trip.
struct PathLegs {
  struct Side {
    Leg leg;
    std::uint64_t samples;
    QuantileEstimate median, p95;
  };

  Kind kind;
  Side near;  ///< client or internal
  Side far;   ///< server or external

  /// The far leg's share of both medians, from 0 to 1; 1/2 if both are zero.
  double far_share() const { return share(near.median.delay, far.median.delay); }
  double far_share_p95() const { return share(near.p95.delay, far.p95.delay); }
  /// Whether the intervals of the medians show clearly which leg is longer.
  bool certain() const;

  static double share(Duration near, Duration far);
};

/// Handshakes first: kernels answer them at once, while a segment's acknowledgment may be delayed.
/// A kind with `enough` samples on both legs has precedence.  nullopt if no kind has both legs.
std::optional<PathLegs> path_legs(const Measurement& measurement, std::uint64_t enough = 10);

}  // namespace sojourn
