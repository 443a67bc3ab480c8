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
  if (count < 1'000'000) return format_count(count);
  const double value = static_cast<double>(count);
  return value < 999.95e6 ? fmt::format("{:#.4g} M", value / 1e6)
                          : fmt::format("{:#.4g} G", value / 1e9);
}

namespace {

/// Two digits and the unit, rounded up: "21ms".
std::string rough(Duration duration) {
  const double ns = static_cast<double>(duration.count());
  const double digit = std::pow(10.0, std::floor(std::log10(ns)) - 1);
  const double rounded = std::ceil(ns / digit - 1e-9) * digit;
  if (rounded >= 1e9) return fmt::format("{:g}s", rounded / 1e9);
  return rounded >= 1e6 ? fmt::format("{:g}ms", rounded / 1e6)
                        : fmt::format("{:g}us", rounded / 1e3);
}

}  // namespace

std::string with_margin(Duration value, const Interval& interval, bool unicode) {
  const std::string text = format_duration(value);
  const std::string sign = unicode ? " ±" : " +-";
  if (!interval.bounded()) return compact(value) + sign + "?";
  // Unit and decimals as chosen by format_duration.
  const auto space = text.find(' ');
  const std::string unit = text.substr(space + 1);
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
  const auto dot = text.find('.');
  const double half =
      static_cast<double>(std::max(interval.high - value, value - interval.low).count()) / factor;
  if (half == 0) return compact(value) + sign + "0";
  if (half >= 1000)  // of another order than the value: with its own unit
    return compact(value) + sign + rough(Duration{std::llround(half * factor)});
  // Two digits of the margin suffice, and no more decimals than the value has.
  const int shown = dot == std::string::npos ? 0 : static_cast<int>(space - dot - 1);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, shown);
  const double scale = std::pow(10.0, decimals);
  return fmt::format("{}{}{:.{}f}", compact(value), sign, std::ceil(half * scale - 1e-9) / scale,
                     decimals);
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
