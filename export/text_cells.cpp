#include "export/text_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace sojourn {

std::string compact(Duration duration) {
  std::string text = format_duration(duration);
  std::erase(text, ' ');
  return text;
}

std::string compact_count(std::uint64_t count) {
  constexpr double million = 1e6, thousand_million = 1e9;
  if (count < 10'000'000) return format_count(count);
  const double value = static_cast<double>(count);
  return value < thousand_million ? fmt::format("{:.1f} M", value / million)
                                  : fmt::format("{:.2f} G", value / thousand_million);
}

std::string with_margin(Duration value, const Interval& interval, bool unicode) {
  const std::string text = format_duration(value);
  const std::string sign = unicode ? " ±" : " +-";
  if (!interval.bounded()) return compact(value) + sign + "?";
  // Unit and decimals are those that format_duration chose.
  const auto space = text.find(' ');
  const std::string unit = text.substr(space + 1);
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
  const auto dot = text.find('.');
  const int decimals = dot == std::string::npos ? 0 : static_cast<int>(space - dot - 1);
  const Duration half = std::max(interval.high - value, value - interval.low);
  const double scale = std::pow(10.0, decimals);
  const double margin = std::ceil(static_cast<double>(half.count()) / factor * scale - 1e-9) / scale;
  if (margin == 0) return compact(value) + sign + "0";
  return fmt::format("{}{}{:.{}f}", compact(value), sign, margin, decimals);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part == 0) return "0";
  if (part == whole) return "100";
  if (share < 1) return "<1";
  if (share > 99 && part < whole) return ">99";
  return fmt::format("{:.0f}", share);
}

}  // namespace sojourn
