// Delay over time, drawn with characters.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "export/rtt/heatmap_grid.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {
namespace {

constexpr std::array<std::string_view, 5> shades = {" ", "░", "▒", "▓", "█"};
constexpr std::array<std::string_view, 5> ascii_shades = {" ", ".", "o", "O", "#"};
constexpr std::array<std::string_view, 9> bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> ascii_bars = {" ", ".", ":", "-", "=",
                                                        "+", "*", "#", "@"};
constexpr std::size_t label_width = 10, rows_of_text = 10;

/// The time of day, with as many decimals as the column length needs.
std::string clock_of(Timestamp time, Duration column) {
  const std::string text = format_time(time);
  return text.substr(11, column < std::chrono::seconds{1} ? 12 : 8);
}

}  // namespace

void TextReport::heatmap() {
  const DelayHeatmap* const heatmap = measurement_.heatmap();
  if (!heatmap || !report_.draw_heatmap) return;
  for (const HeatmapPanel& panel : heatmap_panels(measurement_, report_.kinds, report_.kinds_named))
    draw_heatmap(grid_of(*heatmap, panel, width - label_width - 1, rows_of_text), panel);
}

/// The last columns at their own length: they move to the left as new ones come.  About half of the
/// screen, so that figures have room below.
void TextReport::latest_heatmap(const ScreenSize& screen) {
  const DelayHeatmap* const heatmap = measurement_.heatmap();
  if (!heatmap) return;
  const auto panels = heatmap_panels(measurement_, report_.kinds, false);
  if (panels.empty()) return;
  constexpr std::size_t around = 10;  // heading, title, axis, unanswered requests
  const std::size_t rows = std::clamp<std::size_t>(
      screen.rows > around ? (screen.rows - around) / 2 : 0, 3, 2 * rows_of_text);
  const std::size_t columns =
      std::max<std::size_t>(screen.columns, label_width + 12) - label_width - 1;
  const std::size_t first = heatmap->columns() - std::min(heatmap->columns(), columns);
  draw_heatmap(grid_of(*heatmap, panels[0], columns, rows, first), panels[0]);
}

void TextReport::draw_heatmap(const HeatmapGrid& grid, const HeatmapPanel& panel) {
  if (grid.columns == 0) return;
  section(fmt::format("delay over time: {} {}, a column is {}", name_of(panel.kind),
                      name_of(panel.leg), format_duration(grid.column_length)));
  const auto& shade = unicode() ? shades : ascii_shades;
  for (std::size_t row = grid.rows; row-- > 0;) {
    std::string text =
        fmt::format("{:>{}} {}", compact(grid.lowest[row]), label_width - 2, unicode() ? "│" : "|");
    for (std::size_t column = 0; column < grid.columns; ++column)
      text += shade[grid.level(column, row, shade.size() - 1)];
    text.erase(text.find_last_not_of(' ') + 1);
    line(text);
  }
  std::string axis(label_width - 1, ' ');
  axis += unicode() ? "└" : "+";
  for (std::size_t column = 0; column < grid.columns; ++column) axis += unicode() ? "─" : "-";
  line(styled(axis, "2"));

  const std::string from = clock_of(grid.start, grid.column_length);
  const std::string to = clock_of(grid.end(), grid.column_length) + " UTC";
  const std::size_t gap = grid.columns > from.size() + to.size()
                              ? grid.columns - from.size() - to.size()
                              : std::size_t{2};
  line(styled(std::string(label_width, ' ') + from + std::string(gap, ' ') + to, "2"));
  if (!unanswered_means_lost(panel.kind) || !grid.has_requests()) return;

  double most = 0;
  for (const auto& share : grid.unanswered) most = std::max(most, share.value_or(0));
  if (most <= 0) return line("unanswered: none");
  const auto& bar = unicode() ? bars : ascii_bars;
  std::string text = fmt::format("{:>{}} {}", "lost", label_width - 2, unicode() ? "│" : "|");
  for (const auto& share : grid.unanswered) {
    const double height = share.value_or(0) / most * 8;
    text += bar[static_cast<std::size_t>(height > 0 ? std::max(1.0, std::round(height)) : 0)];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  line(text);
  line(fmt::format("{:>{}} share of requests unanswered; the highest column is {:.3g} %", "",
                   label_width - 1, 100 * most));
}

}  // namespace sojourn
