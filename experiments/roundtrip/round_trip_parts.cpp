#include "experiments/roundtrip/round_trip_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/hash.h"

namespace sojourn {

std::vector<std::uint64_t> key_seeds(const LabSetting& setting, std::size_t count,
                                     std::uint64_t stage) {
  std::uint64_t state = setting.seed * 1000 + stage;
  std::vector<std::uint64_t> seeds(count);
  for (std::uint64_t& seed : seeds) seed = split_mix(state);
  return seeds;
}

Cell figure(double value) { return Cell::decimals(value, 3); }
Cell power_of_two(double value) {
  return Cell::number(value, fmt::format("2^{:.3g}", std::log2(value)));
}

std::vector<std::string> error_columns() {
  return {"p50", "p95", "p99", "worst 5..95", "total/true", "samples"};
}
std::vector<Cell> error_cells(const TrialErrors& errors) {
  return {figure(errors.p50),   figure(errors.p95),   figure(errors.p99),
          figure(errors.worst), figure(errors.total), Cell::decimals(errors.samples, 0)};
}

ChartSeries cdf_series(std::string name, std::vector<FridgeSample> samples) {
  std::ranges::sort(samples, {}, &FridgeSample::delay_ns);
  double total = 0, sum = 0;
  for (const FridgeSample& sample : samples) total += sample.weight;
  ChartSeries series{.name = std::move(name), .points = {}, .markers = false};
  double next = 0.01;
  for (const FridgeSample& sample : samples) {
    sum += sample.weight;
    if (sum / total < next) continue;
    series.points.push_back({static_cast<double>(sample.delay_ns) * 1e-6, sum / total});
    next = sum / total + 0.01;
  }
  return series;
}

ChartSeries cdf_series(std::string name, const RequestTrace& trace) {
  ChartSeries series{.name = std::move(name), .points = {}, .dashed = true, .markers = false};
  for (int percent = 1; percent < 100; ++percent)
    series.points.push_back({trace.quantile_ns(0.01 * percent) * 1e-6, 0.01 * percent});
  return series;
}

}  // namespace sojourn
