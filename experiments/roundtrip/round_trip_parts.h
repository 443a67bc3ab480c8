#pragma once
// Common parts of the reports of L1 to L4.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/report/experiment.h"
#include "experiments/roundtrip/contenders.h"

namespace sojourn {

/// Seeds of keys, distinct from those of other stages of an experiment.
std::vector<std::uint64_t> key_seeds(const LabSetting& setting, std::size_t count,
                                     std::uint64_t stage);

/// Three decimals: octaves, shares.
Cell figure(double value);
/// Shown as "2^12".
Cell power_of_two(double value);

/// Cells for p50, p95, p99, worst, total and samples, and their headings.
std::vector<std::string> error_columns();
std::vector<Cell> error_cells(const TrialErrors& errors);

/// F at its percentiles, over milliseconds.
ChartSeries cdf_series(std::string name, std::vector<FridgeSample> samples);
ChartSeries cdf_series(std::string name, const RequestTrace& trace);

}  // namespace sojourn
