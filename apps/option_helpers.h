#pragma once
// Options of types that have a parser of their own, for CLI11.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse.h"
#include "core/result.h"

namespace sojourn {

/// CLI11's form of "is this text understood?": the error line, or nothing.
template <class Parse>
auto complaint_of(Parse parse) {
  return [parse](const std::string& text) {
    const auto parsed = parse(text);
    return parsed ? std::string{} : parsed.error().message;
  };
}

/// From 0 to 1.
inline Result<double> parse_any_share(std::string_view text) { return parse_share(text); }

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
