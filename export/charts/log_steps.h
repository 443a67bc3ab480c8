#pragma once
// 1, 2 and 5 times powers of ten: where axes begin, end and are marked.

#include <array>
#include <cmath>

namespace sojourn {

inline constexpr std::array<double, 4> axis_steps = {1, 2, 5, 10};

/// For powers of ten whose logarithm is not exact.
inline constexpr double axis_slack = 1e-9;

/// Of logarithms to base ten: the nearest step that is not above.
inline double log_step_below(double logarithm) {
  const double decade = std::floor(logarithm + axis_slack);
  double best = decade;
  for (const double step : axis_steps)
    if (decade + std::log10(step) <= logarithm + axis_slack) best = decade + std::log10(step);
  return best;
}

/// ... that is not below.
inline double log_step_above(double logarithm) {
  const double decade = std::floor(logarithm - axis_slack);
  for (const double step : axis_steps)
    if (decade + std::log10(step) >= logarithm - axis_slack) return decade + std::log10(step);
  return decade + 1;
}

}  // namespace sojourn
