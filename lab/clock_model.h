#pragma once
// An imperfect clock.

#include <cmath>
#include <cstdint>

#include "lab/random.h"

namespace sojourn {

/// Reads true time as `offset + (1 + drift) t + jitter`, to a resolution.
///
/// 1 ppm of drift is a microsecond a second; a quartz has some tens of ppm, a disciplined clock far
/// less.  Jitter is normal and may swap the order of close readings, as in captures.
struct ClockModel {
  std::int64_t offset_ns = 0;
  double drift_ppm = 0;
  double jitter_ns = 0;            ///< standard deviation
  std::int64_t resolution_ns = 1;  ///< readings are multiples of this

  std::int64_t read(std::int64_t true_ns, Random& random) const {
    const double error = static_cast<double>(true_ns) * drift_ppm * 1e-6 +
                         (jitter_ns > 0 ? random.normal(0, jitter_ns) : 0.0);
    const std::int64_t reading = true_ns + offset_ns + std::llround(error);
    const std::int64_t rest = reading % resolution_ns;
    return reading - (rest < 0 ? rest + resolution_ns : rest);
  }
};

}  // namespace sojourn
