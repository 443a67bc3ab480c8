#pragma once
// How often the intervals of `sojourn rtt` cover the truth, and how often `--expect` is wrong.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "experiments/roundtrip/interval_traffic.h"
#include "roundtrip/tables/table_choice.h"

namespace sojourn {

/// A table as `--table` and `--memory` give it; without memory, exact.
struct IntervalTable {
  TableKind kind = TableKind::exact;
  std::optional<std::size_t> memory_bytes = {};
};

struct IntervalTrial {
  static constexpr std::array quantiles = {0.5, 0.95, 0.99};
  static constexpr std::array alarm_rates = {0.05, 0.01, 0.001};

  std::size_t runs = 0;
  std::array<double, 3> held{};     ///< share of runs whose 95 % interval holds the truth
  std::array<double, 3> bounded{};  ///< share of runs whose interval has both ends
  std::array<double, 3>
      held_bounded{};             ///< share of those that holds the truth; 0 if there are none
  std::array<double, 3> width{};  ///< median of (high - low) / truth, of those with both ends
  double total = 0;               ///< mean over the runs of estimated by true number of pairs
  double total_error = 0;         ///< its standard error
  double samples = 0;             ///< mean over the runs
  std::size_t compared = 0;       ///< pairs of runs with enough samples
  std::array<std::size_t, 3> alarms{};  ///< of these, by rate, tolerance 0
};

/// Every table over the same `runs` pieces of traffic, on all cores.  Each run is compared with the
/// next one, as by `--expect`.
std::vector<IntervalTrial> try_intervals(
    const IntervalTraffic& traffic, const std::vector<IntervalTable>& tables, std::size_t runs,
    std::uint64_t seed, const std::function<void(double)>& progress = [](double) {});

}  // namespace sojourn
