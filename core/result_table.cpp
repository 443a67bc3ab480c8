#include "core/result_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace sojourn {

Cell::Cell(Timestamp time) : value(time), text(format_time(time)) {}

Cell Cell::decimals(double number, int decimals) {
  return Cell::number(number, fmt::format("{:.{}f}", number, decimals));
}

Cell Cell::beside_paper(double ours, double paper, int decimals) {
  return {BesidePaper{ours, paper},
          fmt::format("{:.{}f} ({:.{}f})", ours, decimals, paper, decimals)};
}

std::vector<std::string> heads_of(const ResultTable& table) {
  std::vector<std::string> heads = table.columns;
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (heads[i].ends_with("_ns") && std::ranges::any_of(table.rows, [&](const auto& row) {
          return i < row.size() && std::holds_alternative<Timestamp>(row[i].value);
        }))
      heads[i].resize(heads[i].size() - 3);
  return heads;
}

}  // namespace sojourn
