#pragma once
// The heatmap of one kind and leg, reduced to the size of a drawing.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/delay_heatmap.h"
#include "estimate/measurement.h"

namespace sojourn {

struct HeatmapPanel {
  Kind kind;
  Leg leg;
};

/// The panels: the sum of every kind in `kinds`, or else each leg.  Without kinds named by the
/// user, only one panel: the longer leg of the kind with the most samples.
std::vector<HeatmapPanel> heatmap_panels(const Measurement& measurement, KindSet kinds,
                                         bool kinds_named);

struct HeatmapGrid {
  Timestamp start;
  Duration column_length;
  std::size_t columns = 0, rows = 0;
  std::vector<Duration> lowest;  ///< of each row, shortest first; one more for where the last ends
  std::vector<double> weights;   ///< by column, then row
  std::vector<std::optional<double>> unanswered;  ///< share by column; nullopt without requests
  double heaviest = 0;

  double at(std::size_t column, std::size_t row) const { return weights[column * rows + row]; }
  /// 0 for an empty cell, then 1 to `levels` by the logarithm of the weight.
  std::size_t level(std::size_t column, std::size_t row, std::size_t levels) const;
  Timestamp end() const { return start + column_length * static_cast<std::int64_t>(columns); }
  bool has_requests() const;
};

/// At most this many columns and rows; those of the heatmap are joined, never divided.  Columns
/// before `from_column` are left out.
HeatmapGrid grid_of(const DelayHeatmap& heatmap, const HeatmapPanel& panel, std::size_t columns,
                    std::size_t rows, std::size_t from_column = 0);

}  // namespace sojourn
