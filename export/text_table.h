#pragma once
// Aligned columns.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result_table.h"

namespace sojourn {

/// Characters that a terminal shows for this UTF-8 text (no wide or combining ones are used here).
std::size_t display_width(std::string_view text);

/// Broken at spaces into lines of at most `width` characters, if the words allow it; at least one
/// line.  All but the first begin with `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 std::string_view indent = "");

/// The cells' texts for people, printable: names of points come from files and stores of others.
std::vector<std::string> texts_of(const std::vector<Cell>& cells);

/// Rows of cells, each column as wide as its widest cell.  Leading named columns are left-aligned,
/// numbers right-aligned, and the last column may have any length.
class TextTable {
 public:
  enum class Align : unsigned char { left, right };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Two spaces between columns if that fits into `width`, otherwise one.
  std::vector<std::string> lines(std::size_t width = 80) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sojourn
