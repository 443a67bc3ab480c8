#include <fmt/format.h>

#include <utility>

#include "export/charts/line_chart.h"
#include "export/oneway/oneway_report.h"

namespace sojourn {

std::string oneway_plot(const OnewayReport& report) {
  ChartSeries series;
  series.name = report.method->samples_packets ? "packets" : "flows' means";
  series.markers = false;
  for (const CdfPoint& point : report.measured->delays.cdf())
    series.points.push_back({static_cast<double>(to_ns(point.delay)) * 1e-6, point.fraction});
  const bool positive =
      !report.measured->delays.empty() && *report.measured->delays.min() > Duration{0};
  LineChart chart;
  chart.title =
      fmt::format("One-way delay, {} to {}", report.points[0].name, report.points[1].name);
  chart.x = {"delay (ms)", positive};
  chart.y = {"share of delays up to it", false, 0.0, 1.0};
  chart.series.push_back(std::move(series));
  return svg_chart(chart);
}

}  // namespace sojourn
