#include "export/rtt/heatmap_grid.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// The leg with the longer median.
Leg slower_leg(const Measurement& measurement, Kind kind) {
  std::optional<Leg> slowest;
  for (std::size_t i = 0; i < leg_count; ++i) {
    const Leg leg = static_cast<Leg>(i);
    const Distribution& delays = measurement.leg(kind, leg);
    if (delays.empty()) continue;
    if (!slowest || delays.quantile(0.5) > measurement.leg(kind, *slowest).quantile(0.5))
      slowest = leg;
  }
  return slowest.value_or(Leg::server);
}

}  // namespace

std::vector<HeatmapPanel> heatmap_panels(const Measurement& measurement, KindSet kinds,
                                         bool kinds_named) {
  std::vector<HeatmapPanel> panels;
  std::optional<Kind> fullest;
  for (std::size_t k = 0; k < kind_count; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (!kinds.has(kind) || measurement.pooled(kind).empty()) continue;
    if (kind != Kind::flow &&
        (!fullest || measurement.pooled(kind).count() > measurement.pooled(*fullest).count()))
      fullest = kind;
    for (std::size_t l = 0; l < leg_count; ++l) {
      const Leg leg = static_cast<Leg>(l);
      if (headline_is_sum(kind) && leg != Leg::sum) continue;
      if (!measurement.leg(kind, leg).empty()) panels.push_back({kind, leg});
    }
  }
  if (!kinds_named && fullest) panels = {{*fullest, slower_leg(measurement, *fullest)}};
  return panels;
}

std::size_t HeatmapGrid::level(std::size_t column, std::size_t row, std::size_t levels) const {
  const double weight = at(column, row);
  if (weight <= 0) return 0;
  const double height = std::log1p(weight) / std::log1p(heaviest) * static_cast<double>(levels);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(height - 1e-9)), 1, levels);
}

bool HeatmapGrid::has_requests() const {
  return std::ranges::any_of(unanswered, [](const auto& share) { return share.has_value(); });
}

HeatmapGrid grid_of(const DelayHeatmap& heatmap, const HeatmapPanel& panel, std::size_t columns,
                    std::size_t rows, std::size_t from_column) {
  HeatmapGrid grid;
  std::size_t first = DelayHeatmap::rows, last = 0;
  for (std::size_t column = from_column; column < heatmap.columns(); ++column)
    for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
      if (heatmap.weight(column, row, panel.kind, panel.leg) > 0) {
        first = std::min(first, row);
        last = std::max(last, row);
      }
  if (first > last) return grid;

  const std::size_t height = last - first + 1;
  const std::size_t join_rows = (height + rows - 1) / rows;
  const std::size_t length = heatmap.columns() - from_column;
  const std::size_t join_columns = (length + columns - 1) / columns;
  grid.rows = (height + join_rows - 1) / join_rows;
  grid.columns = (length + join_columns - 1) / join_columns;
  grid.start = heatmap.start_of(from_column);
  grid.column_length = heatmap.length() * static_cast<std::int64_t>(join_columns);
  for (std::size_t row = 0; row <= grid.rows; ++row)
    grid.lowest.push_back(
        DelayHeatmap::lowest(std::min(first + row * join_rows, DelayHeatmap::rows)));
  grid.weights.assign(grid.columns * grid.rows, 0);
  std::vector<double> requests(grid.columns), answered(grid.columns);
  for (std::size_t column = from_column; column < heatmap.columns(); ++column) {
    const std::size_t to = (column - from_column) / join_columns;
    for (std::size_t row = first; row <= last; ++row)
      grid.weights[to * grid.rows + (row - first) / join_rows] +=
          heatmap.weight(column, row, panel.kind, panel.leg);
    requests[to] += heatmap.requests(column, panel.kind);
    answered[to] += heatmap.answered(column, panel.kind);
  }
  grid.heaviest = std::ranges::max(grid.weights);
  for (std::size_t column = 0; column < grid.columns; ++column)
    grid.unanswered.push_back(
        requests[column] > 0 ? std::optional{std::max(0.0, 1 - answered[column] / requests[column])}
                             : std::nullopt);
  return grid;
}

}  // namespace sojourn
