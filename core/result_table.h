#pragma once
// Tables of results whose cells are typed: a number stays a number until somebody prints it.

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

namespace sojourn {

/// What we found, and what a paper says of it.
struct BesidePaper {
  double ours = 0, paper = 0;
};

/// One cell: what it is for programs (`value`) and what people see of it (`text`).  A default cell
/// is not known: "-" for people, null in JSON.
struct Cell {
  using Value =
      std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string, BesidePaper>;
  Value value;
  std::string text = "-";

  Cell() = default;
  Cell(std::string words) : value(words), text(std::move(words)) {}
  Cell(std::string_view words) : Cell(std::string{words}) {}
  Cell(const char* words) : Cell(std::string{words}) {}
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

  /// Nothing to say, shown as these words.
  static Cell nothing(std::string shown = {}) { return {Value{}, std::move(shown)}; }
  /// A number shown in some other way: 65536 as "64 KiB".  One that is not finite is not known.
  static Cell number(double number, std::string shown) {
    return {std::isfinite(number) ? Value{number} : Value{}, std::move(shown)};
  }
  static Cell number(std::uint64_t number, std::string shown) {
    return {Value{number}, std::move(shown)};
  }
  /// Shown with so many decimals.
  static Cell decimals(double number, int decimals);
  /// Shown as "0.12 (0.10)".
  static Cell beside_paper(double ours, double paper, int decimals);

 private:
  Cell(Value kept, std::string shown) : value(std::move(kept)), text(std::move(shown)) {}
};

/// Rows of cells under columns with names.
struct ResultTable {
  std::string name;   ///< of its CSV file, or in JSON: "intervals"
  std::string title;  ///< for people, with the units
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

}  // namespace sojourn
