#pragma once
// Options of types that have a parser of their own, for CLI11.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "console/terminal.h"
#include "core/kind.h"
#include "core/parse.h"
#include "core/result.h"
#include "core/units.h"
#include "naming/group_choice.h"
#include "pipeline/live_loop.h"

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

/// More than anything has: where a count of something ends.
inline constexpr std::uint64_t very_many = 1'000'000'000'000;

/// How many of something there may be.
inline Result<std::uint64_t> parse_how_many(std::string_view text) {
  return parse_count(text, 1, very_many);
}

/// How many rows of an interval to show: with 0 none, only what is said of all together.
inline Result<std::uint64_t> parse_top(std::string_view text) {
  return parse_count(text, 0, very_many);
}

/// So many a second.
inline Result<double> parse_rate(std::string_view text) {
  const auto rate = parse_between(text, 0, 1e9);
  if (rate && *rate > 0) return rate;
  return failure(fmt::format("'{}' is not a rate above 0 and up to 10^9 a second", text));
}

/// Bits of an IPv4 prefix, or "host", "port" or "flow": a number that GroupChoice has.
inline Result<std::size_t> parse_group_choice(std::string_view text) {
  if (const auto groups = GroupChoice::named(text)) return *groups;
  if (const auto groups = GroupChoice::prefixes(text)) return *groups;
  return failure(fmt::format("'{}' is neither a length from 1 to 32 nor host, port or flow", text));
}

inline Result<std::size_t> parse_table_memory(std::string_view text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < 64 * 1024) return failure("at least 64KiB are needed");
  return *size;
}

/// "tcp,dns", "all" or "none".
inline Result<KindSet> parse_point_kinds(std::string_view text) {
  return text == "none" ? KindSet::none() : parse_kinds(text);
}

/// The largest seed that every reader of JSON takes for what it is: beyond, a double has gaps
/// (RFC 8259, section 6).
inline constexpr std::uint64_t largest_seed = (std::uint64_t{1} << 53) - 1;

inline Result<std::uint64_t> parse_seed(std::string_view text) {
  return parse_count(text, 0, largest_seed);
}

inline std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) & largest_seed;
}

/// --color of a report; without it, on a terminal.
inline void add_color(CLI::App& app, bool& color) {
  color = color_wanted();
  app.add_option_function<std::string>(
         "--color",
         [&color](const std::string& when) {
           color = when == "always" || (when == "auto" && color_wanted());
         },
         "auto, always or never (default auto: on a terminal)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

/// --engine of a live run.
inline void add_engine(CLI::App& app, Engine& engine, const std::string& description) {
  app.add_option_function<std::string>(
         "--engine",
         [&engine](const std::string& name) {
           engine = name == "kernel"   ? Engine::kernel
                    : name == "socket" ? Engine::socket
                                       : Engine::automatic;
         },
         description)
      ->check(CLI::IsMember({"kernel", "socket", "auto"}))
      ->type_name("NAME");
}

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

inline void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& description) {
  add_parsed(
      app, "--seed", "NUMBER", parse_seed, [&seed](std::uint64_t number) { seed = number; },
      description);
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
