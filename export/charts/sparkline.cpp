#include "export/charts/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "export/text_table.h"

namespace sojourn {
namespace {

constexpr std::array<std::string_view, 9> blocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> ascii_blocks = {" ", ".", ":", "-", "=",
                                                          "+", "*", "#", "@"};

}  // namespace

std::string sparkline(const Distribution& distribution, const DelayAxis& axis, std::size_t width,
                      bool unicode) {
  std::vector<double> shares(width);
  double below = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const bool last = i + 1 == width;
    const double right = static_cast<double>(i + 1) / static_cast<double>(width);
    const double up_to = last ? 1 : distribution.fraction_up_to(axis.delay_at(right));
    shares[i] = up_to - below;
    below = up_to;
  }
  const double fullest = std::max(std::ranges::max(shares), 1e-300);
  const auto& levels = unicode ? blocks : ascii_blocks;
  std::string line;
  for (const double share : shares) {
    // Sums of weights have rounding errors: a slice counts as empty below a share no sample can
    // have.
    const double level = share <= 1e-12 ? 0 : std::max(1.0, std::round(share / fullest * 8));
    line += levels[static_cast<std::size_t>(level)];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> axis_lines(const DelayAxis& axis, std::size_t width, bool unicode) {
  std::vector<bool> is_tick(width, false);
  std::string labels(width, ' ');
  std::size_t free_from = 0;
  for (const auto& tick : axis.ticks()) {
    const auto column =
        std::min(static_cast<std::size_t>(axis.position(tick.delay) * static_cast<double>(width)),
                 width - 1);
    is_tick[column] = true;
    const std::size_t half = tick.label.size() / 2;
    const std::size_t start =
        std::min(column > half ? column - half : 0, width - tick.label.size());
    if (start < free_from) continue;
    labels.replace(start, tick.label.size(), tick.label);
    free_from = start + tick.label.size() + 2;
  }
  std::string line;
  for (const bool tick : is_tick) line += unicode ? (tick ? "┴" : "─") : (tick ? "+" : "-");
  labels.erase(labels.find_last_not_of(' ') + 1);
  return {line, labels};
}

}  // namespace sojourn
