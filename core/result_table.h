#pragma once
// Tables of results with typed cells: a number stays a number until it is printed.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/time.h"

namespace sojourn {

/// A measured value beside the value that a paper reports.
struct BesidePaper {
  double ours = 0, paper = 0;
};

/// One cell: a `value` for programs and a `text` for people.  A default cell is unknown: "-" for
/// people, null in JSON.
struct Cell {
  using Value = std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string,
                             BesidePaper, Timestamp>;
  Value value;
  std::string text = "-";

  Cell() = default;
  Cell(std::string words) : value(words), text(std::move(words)) {}
  Cell(std::string_view words) : Cell(std::string{words}) {}
  Cell(const char* words) : Cell(std::string{words}) {}
  /// For programs nanoseconds since 1970, and its column's name ends in "_ns"; for people a date.
  Cell(Timestamp time);
  template <std::integral Number>
  Cell(Number number) : text(std::to_string(number)) {
    if constexpr (std::is_signed_v<Number>)
      value = static_cast<std::int64_t>(number);
    else
      value = static_cast<std::uint64_t>(number);
  }
  template <class Known>
  Cell(const std::optional<Known>& known) : Cell(known ? Cell{*known} : Cell{}) {}

  bool known() const { return !std::holds_alternative<std::monostate>(value); }

  /// No value; shown as this text.
  static Cell nothing(std::string shown = {}) { return {Value{}, std::move(shown)}; }
  /// A number with its own text: 65536 as "64 KiB".  A number that is not finite is unknown.
  static Cell number(double number, std::string shown) {
    return {std::isfinite(number) ? Value{number} : Value{}, std::move(shown)};
  }
  static Cell number(std::uint64_t number, std::string shown) {
    return {Value{number}, std::move(shown)};
  }
  /// Shown with this many decimals.
  static Cell decimals(double number, int decimals);
  /// Shown as "0.12 (0.10)".
  static Cell beside_paper(double ours, double paper, int decimals);

 private:
  Cell(Value kept, std::string shown) : value(std::move(kept)), text(std::move(shown)) {}
};

/// Rows of cells under named columns.
struct ResultTable {
  std::string name;   ///< of its CSV file, or in JSON: "intervals"
  std::string title;  ///< for people, with the units
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

/// Names of the columns for people: a column of dates is called "start", not "start_ns".
std::vector<std::string> heads_of(const ResultTable& table);

}  // namespace sojourn
