#include "export/rtt/svg_heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/units.h"
#include "export/charts/delay_axis.h"

namespace sojourn {
namespace {

constexpr double width = 960, left = 96, right = 24, plot_width = width - left - right;
constexpr double head = 30, plot_height = 180, lost_height = 36, gap = 8;
constexpr std::size_t most_columns = 128, most_rows = 48;
// Opacity of one colour reads well on white and on black.
constexpr std::array<double, 6> opacities = {0.14, 0.3, 0.46, 0.62, 0.8, 1.0};

/// All cells of one level as one path: a cell takes twenty characters instead of a hundred.
std::string cells_of(const HeatmapGrid& grid, std::size_t level, double top) {
  const double w = plot_width / static_cast<double>(grid.columns);
  const double h = plot_height / static_cast<double>(grid.rows);
  std::string path;
  for (std::size_t column = 0; column < grid.columns; ++column)
    for (std::size_t row = 0; row < grid.rows; ++row)
      if (grid.level(column, row, opacities.size()) == level)
        fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                       left + static_cast<double>(column) * w,
                       top + plot_height - static_cast<double>(row + 1) * h, w, h, w);
  return path;
}

/// Round delays beside the rows.  Rows are steps of the logarithm, so the axis is linear in them.
void delay_labels(SvgWriter& svg, const HeatmapGrid& grid, double top) {
  const auto log_of = [](Duration delay) {
    return std::log(static_cast<double>(std::max<std::int64_t>(delay.count(), 1)));
  };
  const double low = log_of(std::max(grid.lowest.front(), Duration{1}));
  const double high = log_of(grid.lowest.back());
  double free_below = top + plot_height + 20;
  for (const auto& tick : DelayAxis{grid.lowest.front(), grid.lowest.back()}.ticks()) {
    const double y = top + plot_height * (1 - (log_of(tick.delay) - low) / (high - low));
    if (y < top - 1 || y > top + plot_height + 1 || y + 14 > free_below) continue;
    free_below = y;
    svg.put(
        R"(<line x1="{0}" y1="{1:.1f}" x2="{2}" y2="{1:.1f}" stroke="#888" stroke-opacity=".35"/>)",
        left, y, left + plot_width);
    svg.put(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", left - 8, y + 4.5,
            tick.label);
  }
}

void time_labels(SvgWriter& svg, const HeatmapGrid& grid, double y) {
  const std::size_t digits = grid.column_length < std::chrono::seconds{1} ? 12 : 8;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const Timestamp time = grid.start + (grid.end() - grid.start) / 4 * quarter;
    const char* const anchor = quarter == 0 ? "start" : quarter == 4 ? "end" : "middle";
    svg.put(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-size="12">{}{}</text>)",
            left + plot_width * quarter / 4, y, anchor, format_time(time).substr(11, digits),
            quarter == 4 ? " UTC" : "");
  }
}

void lost_bars(SvgWriter& svg, const HeatmapGrid& grid, double top) {
  double most = 0;
  for (const auto& share : grid.unanswered) most = std::max(most, share.value_or(0));
  const double w = plot_width / static_cast<double>(grid.columns);
  std::string path;
  for (std::size_t column = 0; column < grid.columns; ++column) {
    const double share = grid.unanswered[column].value_or(0);
    if (share <= 0) continue;
    const double h = std::max(1.0, share / most * lost_height);
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                   left + static_cast<double>(column) * w, top + lost_height - h, w, h, w);
  }
  svg.put(R"(<path d="{}" fill="#D55E00"/>)", path);
  svg.put(R"(<line x1="{0}" y1="{1:.1f}" x2="{2}" y2="{1:.1f}" stroke="#888"/>)", left,
          top + lost_height, left + plot_width);
  svg.put(R"(<text x="{}" y="{:.1f}" text-anchor="end" font-size="12">{}</text>)", left - 8,
          top + 10, most > 0 ? fmt::format("{:.3g} %", 100 * most) : "0 %");
  svg.put(R"(<text x="{}" y="{:.1f}" text-anchor="end" font-size="12">unanswered</text>)", left - 8,
          top + lost_height);
}

}  // namespace

void svg_heatmap_panel(SvgWriter& svg, double top, const DelayHeatmap& heatmap,
                       const HeatmapPanel& panel) {
  const HeatmapGrid grid = grid_of(heatmap, panel, most_columns, most_rows);
  svg.put(R"(<text x="{}" y="{:.1f}" font-weight="bold">{} {}</text>)", left, top + 18,
          name_of(panel.kind), name_of(panel.leg));
  if (grid.columns == 0) {
    svg.put(R"(<text x="{}" y="{:.1f}">no samples</text>)", left, top + 44);
    return;
  }
  svg.put(
      R"(<text x="{}" y="{:.1f}" text-anchor="end" font-size="12">a column is {}; stronger: more</text>)",
      left + plot_width, top + 18, format_duration(grid.column_length));
  const double plot = top + head;
  delay_labels(svg, grid, plot);
  for (std::size_t level = 1; level <= opacities.size(); ++level)
    if (const std::string path = cells_of(grid, level, plot); !path.empty())
      svg.put(R"(<path d="{}" fill="#0072B2" fill-opacity="{}"/>)", path, opacities[level - 1]);
  double below = plot + plot_height;
  if (unanswered_means_lost(panel.kind) && grid.has_requests()) {
    lost_bars(svg, grid, below + gap);
    below += gap + lost_height;
  }
  time_labels(svg, grid, below + 18);
}

std::string svg_heatmap(const RttReport& report, bool with_title) {
  const double title_height = with_title ? 40 : 0;
  const auto panels = heatmap_panels(*report.measurement, report.kinds, report.kinds_named);
  const DelayHeatmap* const heatmap = report.measurement->heatmap();
  SvgWriter svg{width,
                title_height + heatmap_panel_height *
                                   static_cast<double>(std::max<std::size_t>(panels.size(), 1))};
  if (with_title) svg.title(left, "Delay over time");
  double top = title_height;
  if (panels.empty() || !heatmap)
    svg.put(R"(<text x="{}" y="{}" font-size="16">no samples</text>)", left, top + 40);
  else
    for (const HeatmapPanel& panel : panels) {
      svg_heatmap_panel(svg, top, *heatmap, panel);
      top += heatmap_panel_height;
    }
  return std::move(svg).finish();
}

}  // namespace sojourn
