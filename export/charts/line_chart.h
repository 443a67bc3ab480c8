#pragma once
// Curves over two axes as a picture: the figures of the lab.

#include <optional>
#include <string>
#include <vector>

namespace sojourn {

struct ChartAxis {
  std::string label;  ///< with its unit: "delay (ms)"
  bool logarithmic = false;
  /// Where the axis begins and ends; without them, round numbers around the points.
  std::optional<double> low = {};
  std::optional<double> high = {};
};

struct ChartPoint {
  double x;
  double y;
};

struct ChartSeries {
  std::string name;                ///< in the legend
  std::vector<ChartPoint> points;  ///< drawn in this order; what is not finite or, on a logarithmic
                                   ///< axis, not positive is left out
  bool dashed = false;             ///< the paper's own values, a bound, a truth
  bool markers = true;             ///< a dot at each point
  bool lines = true;               ///< joined by lines
};

struct LineChart {
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
};

/// A self-contained SVG with axes, round ticks, grid and legend.
std::string svg_chart(const LineChart& chart);

}  // namespace sojourn
