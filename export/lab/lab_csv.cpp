#include "export/lab/lab_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "export/csv_field.h"

namespace sojourn {
namespace {

std::string number_cell(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : std::string{};
}

/// For a value beside a paper's it is ours.
std::string csv_value(const Cell& cell) {
  struct Visitor {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return number_cell(number); }
    std::string operator()(const std::string& text) const { return csv_field(text); }
    std::string operator()(const BesidePaper& both) const { return number_cell(both.ours); }
    std::string operator()(Timestamp time) const { return std::to_string(to_ns(time)); }
  };
  return std::visit(Visitor{}, cell.value);
}

std::string paper_value(const Cell& cell) {
  const auto* both = std::get_if<BesidePaper>(&cell.value);
  return both ? number_cell(both->paper) : std::string{};
}

}  // namespace

std::string lab_csv(const ResultTable& table) {
  const std::size_t width = table.columns.size();
  std::vector<bool> beside_paper(width);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < std::min(row.size(), width); ++i)
      if (std::holds_alternative<BesidePaper>(row[i].value)) beside_paper[i] = true;

  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    if (i > 0) text += ',';
    text += csv_field(table.columns[i]);
    if (beside_paper[i]) text += ',' + csv_field(table.columns[i] + " (paper)");
  }
  text += '\n';
  const Cell unknown;
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < width; ++i) {
      const Cell& cell = i < row.size() ? row[i] : unknown;
      if (i > 0) text += ',';
      text += csv_value(cell);
      if (beside_paper[i]) text += ',' + paper_value(cell);
    }
    text += '\n';
  }
  return text;
}

}  // namespace sojourn
