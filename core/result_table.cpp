#include "core/result_table.h"

#include <fmt/format.h>

namespace sojourn {

Cell Cell::decimals(double number, int decimals) {
  return Cell::number(number, fmt::format("{:.{}f}", number, decimals));
}

Cell Cell::beside_paper(double ours, double paper, int decimals) {
  return {BesidePaper{ours, paper},
          fmt::format("{:.{}f} ({:.{}f})", ours, decimals, paper, decimals)};
}

}  // namespace sojourn
