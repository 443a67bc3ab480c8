#include "export/text_table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "core/printable.h"

namespace sojourn {
namespace {

constexpr std::size_t longest_cell = 1000;

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 std::string_view indent) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width)
      lines.push_back(std::exchange(line, indent));
    else if (!line.empty())
      line += ' ';
    line += word;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(printable(cell.text, longest_cell));
  return texts;
}

std::vector<std::string> TextTable::lines(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& cells : rows_) {
    assert(cells.size() == columns_.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(cells[i]));
  }
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const std::string gap(total + 2 * (columns_.size() - 1) <= width ? 2 : 1, ' ');

  std::vector<std::string> lines;
  for (const auto& cells : rows_) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - display_width(cells[i]), ' ');
      if (i > 0) line += gap;
      line += columns_[i] == Align::left ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sojourn
