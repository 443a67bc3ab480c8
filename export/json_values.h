#pragma once
// Values of our types in JSON: unknown values are null, and a number is never a string.

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/result_table.h"
#include "core/time.h"

namespace sojourn {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json ns_or_null(const std::optional<Timestamp>& time) {
  return time ? Json(to_ns(*time)) : Json(nullptr);
}
inline Json ns_or_null(const std::optional<Duration>& duration) {
  return duration ? Json(to_ns(*duration)) : Json(nullptr);
}

/// An end of an interval; null if the samples cannot bound it.
inline Json interval_end(Duration end, bool bounded) {
  return bounded ? Json(to_ns(end)) : Json(nullptr);
}

/// Whole numbers as integers, so that counts do not become 12.0; null if not finite.
inline Json number_or_null(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 0x1p53)
    return static_cast<std::int64_t>(value);
  return value;
}

/// A number, a text, null, or {"ours": ..., "paper": ...}.
inline Json cell_value(const Cell& cell) {
  struct Visitor {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(std::int64_t number) const { return number; }
    Json operator()(std::uint64_t number) const { return number; }
    Json operator()(double number) const { return number_or_null(number); }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(Timestamp time) const { return to_ns(time); }
    Json operator()(const BesidePaper& both) const {
      return {{"ours", number_or_null(both.ours)}, {"paper", number_or_null(both.paper)}};
    }
  };
  return std::visit(Visitor{}, cell.value);
}

/// The document with a newline at its end.  File names are bytes and may not be UTF-8: invalid
/// bytes become U+FFFD instead of a throw.
inline std::string document_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The same without a newline anywhere.
inline std::string compact_text(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}
/// One line, including its end.
inline std::string line_text(const Json& document) { return compact_text(document) + "\n"; }

}  // namespace sojourn
