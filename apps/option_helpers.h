#pragma once
// Options of types that core/ and estimate/ can parse, for CLI11.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/units.h"

namespace sojourn {

/// CLI11's form of "is this text understood?": the error line, or nothing.
template <class Parse>
auto complaint_of(Parse parse) {
  return [parse](const std::string& text) {
    const auto parsed = parse(text);
    return parsed ? std::string{} : parsed.error().message;
  };
}

/// "20ms", or "-20ms".
inline Result<Duration> parse_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  auto duration = parse_duration(negative ? text.substr(1) : text);
  if (duration && negative) return -*duration;
  return duration;
}

inline Result<double> parse_between(std::string_view text, double low, double high) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(number >= low && number <= high))
    return failure(fmt::format("'{}' is not a number from {} to {}", text, low, high));
  return number;
}
inline Result<double> parse_share(std::string_view text) { return parse_between(text, 0, 1); }

/// An option whose text `parse` (string_view -> Result<T>) understands and `take` stores.  The
/// error line is parse's own.  `unit` says in --help what kind of value it takes.
template <class Parse, class Take>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& unit,
                        Parse parse, Take take, const std::string& description) {
  return app
      .add_option_function<std::string>(
          names, [parse, take](const std::string& text) { take(*parse(text)); }, description)
      ->check(complaint_of(parse))
      ->type_name(unit);
}

/// The same for an option that may be given several times.
template <class Parse, class Take>
CLI::Option* add_parsed_list(CLI::App& app, const std::string& names, const std::string& unit,
                             Parse parse, Take take, const std::string& description) {
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [parse, take](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) take(*parse(text));
          },
          description)
      ->check(complaint_of(parse))
      ->allow_extra_args(false)  // one value each: what follows may be a capture
      ->type_name(unit);
}

}  // namespace sojourn
