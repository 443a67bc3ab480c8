#include "export/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sojourn {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// The first `columns` characters, with all colour codes: codes behind the cut reset those before
/// it.
std::string cut(std::string_view line, std::size_t columns) {
  std::string result;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == '\033') {
      const auto end = std::min(line.find('m', i), line.size() - 1);
      result += line.substr(i, end + 1 - i);
      i = end + 1;
      continue;
    }
    const bool begins_character = (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;
    shown += begins_character;
    if (shown <= columns) result += line[i];
    ++i;
  }
  return result;
}

}  // namespace

std::string fitted(std::string_view text, const ScreenSize& size) {
  const auto lines = lines_of(text);
  const bool all = lines.size() <= size.rows;
  const std::size_t shown = all ? lines.size() : size.rows - std::min<std::size_t>(size.rows, 1);
  std::string result;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) result += '\n';
    result += cut(lines[i], size.columns);
  }
  if (!all)
    result +=
        "\n" + cut(fmt::format("({} more lines: in the report at the end)", lines.size() - shown),
                   size.columns);
  return result;
}

}  // namespace sojourn
