#pragma once
// How far CNF's estimates may be off: half of a nominal 95 % interval around a flow's mean delay.

#include <cmath>
#include <cstdint>
#include <optional>

#include "oneway/cnf/delay_series.h"

namespace sojourn {

inline constexpr double margin_factor = 1.96;  ///< of a standard error, for 95 %

/// Multiflow takes the mean of n delays of any flow for that of the flow's packets.  All that is
/// known of when the flow sent is its m selected packets, a random choice of them:
///
///     e^2 = s^2 (1/n + 1/m),    s the deviation of the n delays
///
/// s^2/m is the error of a mean of m packets drawn at random from those times.  If neighbouring
/// packets' delays are independent, the flow's mean is nearer and the interval holds more than 95
/// %; behind queues it is about right (docs/results/lab-one-way.md).  nullopt where s cannot be
/// known.
inline std::optional<double> multiflow_margin_ns(const DelaySummary& around,
                                                 std::uint64_t selected) {
  if (around.samples < 2 || selected == 0) return std::nullopt;
  return margin_factor * around.deviation_ns *
         std::sqrt(1 / static_cast<double>(around.samples) + 1 / static_cast<double>(selected));
}

/// Nearby: `known` of the flow's N packets have their own delays, and only the rest is estimated.
inline std::optional<double> nearby_margin_ns(const DelaySummary& around, std::uint64_t selected,
                                              std::uint64_t known, double packets) {
  const double estimated = 1 - static_cast<double>(known) / packets;
  if (estimated <= 0) return 0;
  const auto margin = multiflow_margin_ns(around, selected);
  return margin ? std::optional{estimated * *margin} : std::nullopt;
}

/// Endpoint: two delays say nothing of their own error, unless they are all that the flow has.
inline std::optional<double> endpoint_margin_ns(std::uint64_t known, double packets) {
  return static_cast<double>(known) >= packets ? std::optional{0.0} : std::nullopt;
}

}  // namespace sojourn
