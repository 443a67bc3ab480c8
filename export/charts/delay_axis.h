#pragma once
// A logarithmic axis of delays, for plots in text and in SVG.

#include <cstddef>
#include <string>
#include <vector>

#include "core/time.h"

namespace sojourn {

/// From a power of ten (or 2 or 5 times one) below the shortest delay to one above the longest.
/// Delays below 1 ns, which have no logarithm, are at the left edge.
class DelayAxis {
 public:
  /// Covers `low` to `high`.
  DelayAxis(Duration low, Duration high);

  /// 0 at the left edge, 1 at the right one.
  double position(Duration delay) const;
  Duration delay_at(double position) const;

  struct Tick {
    Duration delay;
    std::string label;  ///< "10 us"
  };
  /// Powers of ten; on a short axis also their multiples by 2 and 5.
  std::vector<Tick> ticks() const;

 private:
  double low_;  ///< log10 of nanoseconds
  double high_;
};

/// "100 us", "5 ms", "20 s": round delays without decimals.
std::string tick_label(Duration delay);

}  // namespace sojourn
