#pragma once
// The offset and drift between the clocks of two points, estimated from the delays themselves.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/time.h"
#include "oneway/flow_delay.h"

namespace sojourn {

/// The last point's clock runs faster than the first's by this much.
struct ClockSkew {
  double per_second = 0;  ///< seconds gained each second: 1e-6 is one ppm
  Timestamp origin;       ///< where the correction is zero: the start
  double drift_ns = 0;    ///< gained over the whole time
  double noise_ns = 0;    ///< typical distance of the shortest delays from the line

  double ppm() const { return per_second * 1e6; }
  /// A drift significantly above the noise; a smaller one is not worth a correction.
  bool significant() const;
};

/// The shortest delays over time show the drift: a queue can only add to a delay, so the line under
/// all of them has the clocks' slope.
///
/// Of all lines below the points, the nearest is used, which is the edge of the lower convex hull
/// over their middle (Moon, Skelly and Towsley, INFOCOM 1999).  Points are the minima of time
/// slices, whose number is bounded: when there are too many, neighbours are merged.
class SkewEstimator {
 public:
  static constexpr std::size_t most_slices = 1024;

  void add(Timestamp sent, Duration delay);
  /// nullopt with fewer than three slices that hold a delay.
  std::optional<ClockSkew> estimate() const;

 private:
  struct Slice {
    std::int64_t time_ns;
    std::int64_t delay_ns;
    bool used = false;
  };

  void widen();

  std::vector<Slice> slices_;
  std::int64_t origin_ns_ = 0;
  int width_shift_ = 20;  ///< a slice is 2^20 ns, about a millisecond, at first
  bool started_ = false;
};

/// The range of the last point's clock offset, if packets went both ways.
///
/// One way a delay reads d + offset, the other way -d' + offset, and neither d nor d' is negative.
/// So the offset is at least the greatest reading backward and at most the least reading forward.
/// This assumes no symmetry; only the middle, as a guess, assumes equal delays.
struct ClockOffset {
  Duration low;
  Duration high;

  Duration middle() const { return low + (high - low) / 2; }
};

/// From flows that have a counterpart in the other direction.  Uses at most 65 536 flows.
std::optional<ClockOffset> clock_offset(std::span<const FlowDelay> flows);

}  // namespace sojourn
