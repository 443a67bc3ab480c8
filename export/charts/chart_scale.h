#pragma once
// One axis of a chart: the position of values, and the round ticks.

#include <optional>
#include <string>
#include <vector>

#include "export/charts/line_chart.h"

namespace sojourn {

struct ChartTick {
  double at;          ///< 0 at the low end, 1 at the high one
  std::string label;  ///< empty for a fine line of the grid
};

/// A scale from the axis' own ends or, if not given, from round numbers around the values.
class ChartScale {
 public:
  /// `values`: everything to draw; values that cannot be placed are ignored.
  ChartScale(const ChartAxis& axis, const std::vector<double>& values);

  /// 0 to 1 on the axis, outside of that beyond its ends.  nullopt if not finite, or if not
  /// positive on a logarithmic axis.
  std::optional<double> position(double value) const;

  std::vector<ChartTick> ticks() const;

 private:
  std::vector<ChartTick> linear_ticks() const;
  std::vector<ChartTick> logarithmic_ticks() const;

  bool logarithmic_;
  double low_;  ///< of the value, or of its decimal logarithm
  double high_;
};

/// "0.05", "2 000", and far from one "10⁶", "5·10⁻⁷": the nearest short text of a round number.
std::string tick_text(double value);

}  // namespace sojourn
