#include "core/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace sojourn {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 9> duration_units = {{{"ns", 1},
                                                 {"us", 1e3},
                                                 {"µs", 1e3},
                                                 {"ms", 1e6},
                                                 {"s", 1e9},
                                                 {"sec", 1e9},
                                                 {"min", 60e9},
                                                 {"m", 60e9},
                                                 {"h", 3600e9}}};

constexpr std::array<Unit, 11> size_units = {{{"", 1},
                                              {"B", 1},
                                              {"KiB", 0x1p10},
                                              {"MiB", 0x1p20},
                                              {"GiB", 0x1p30},
                                              {"K", 0x1p10},
                                              {"M", 0x1p20},
                                              {"G", 0x1p30},
                                              {"kB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9}}};

/// The leading number multiplied by the factor of the unit behind it.
Result<double> parse_with_unit(std::string_view text, std::span<const Unit> units,
                               std::string_view expected) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && number >= 0) {
    auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
    while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    for (const auto& [name, factor] : units)
      if (name == unit && number * factor < 9.2e18) return number * factor;
  }
  return failure(fmt::format("'{}' is not {}", text, expected));
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto ns =
      parse_with_unit(text, duration_units, "a duration such as 80us, 500ms, 2s or 5min");
  if (!ns) return std::unexpected(ns.error());
  return Duration{std::llround(*ns)};
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto bytes = parse_with_unit(text, size_units, "a size such as 4096, 64KiB or 4MiB");
  if (!bytes) return std::unexpected(bytes.error());
  return static_cast<std::uint64_t>(std::llround(*bytes));
}

std::string format_duration(Duration duration) {
  const double ns = static_cast<double>(duration.count());
  const double size = std::abs(ns);
  const auto with_unit = [ns](double factor, std::string_view unit) {
    const double value = ns / factor;
    const double magnitude = std::abs(value);
    const int decimals = magnitude < 9.9995   ? 3
                         : magnitude < 99.995 ? 2
                         : magnitude < 999.95 ? 1
                                              : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  if (size < 1e3) return fmt::format("{} ns", duration.count());
  if (size < 999.95e3) return with_unit(1e3, "us");
  if (size < 999.95e6) return with_unit(1e6, "ms");
  return with_unit(1e9, "s");
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value) || value >= 100;
  return fmt::format("{:.{}f} {}", value, whole ? 0 : 1, units[unit]);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

std::string format_time(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (time - seconds).count());
}

}  // namespace sojourn
