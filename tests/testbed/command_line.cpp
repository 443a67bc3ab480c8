#include "tests/testbed/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "core/units.h"

namespace sojourn::testbed {

const std::string_view emulator_usage =
    R"(usage: sojourn-emulator FIRST SECOND [OPTION...]

Forwards Ethernet frames between two interfaces and makes them late, out of order or lost.
Link options apply to both directions, or after --forward (FIRST to SECOND) or --backward to one.

  --delay DURATION          added to every frame (20ms)
  --jitter DURATION         spread of the delay (1ms)
  --shape NAME              constant, uniform, normal, exponential or pareto (with --jitter: uniform)
  --jitter-reorders         a frame with a short delay may overtake one with a long delay
  --loss P                  of each frame alone (1% or 0.01)
  --burst-loss ENTER,LEAVE  Gilbert-Elliott: chance to enter and to leave the state that loses all
  --rate RATE               bits per second (10Mbit)
  --queue SIZE              DropTail queue in front of the rate limit (64KiB)
  --reorder P,EXTRA         chance of a detour that takes EXTRA longer (2%,5ms)
  --duplicate P             chance that a frame arrives twice

  --seed N                  same seed and same frames: same fates (1)
  --log FILE                a CSV row for every frame: when it came and left, and its first bytes
  --duration DURATION       end after this long; otherwise on SIGINT or SIGTERM
  --help

example: sojourn-emulator left right --delay 10ms --jitter 500us --backward --rate 10Mbit
)";

namespace {

Result<double> parse_number(std::string_view text, std::string_view& rest) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !(number >= 0)) return failure("not a number");
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

Result<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    return failure(fmt::format("'{}' is not a whole number", text));
  return seed;
}

Result<JitterShape> parse_shape(std::string_view text) {
  constexpr std::array<std::string_view, 5> names = {"constant", "uniform", "normal", "exponential",
                                                     "pareto"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<JitterShape>(i);
  return failure(fmt::format("'{}' is not constant, uniform, normal, exponential or pareto", text));
}

template <class Target, class Value>
Result<void> put(Target& target, const Result<Value>& value) {
  if (!value) return std::unexpected(value.error());
  target = *value;
  return {};
}

/// "A,B" as two texts.
Result<std::pair<std::string_view, std::string_view>> split_pair(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos)
    return failure(fmt::format("'{}' is not two values with a comma between", text));
  return std::pair{text.substr(0, comma), text.substr(comma + 1)};
}

Result<void> put_link_option(LinkOptions& link, std::string_view name, std::string_view value) {
  if (name == "--delay") return put(link.delay, parse_duration(value));
  if (name == "--jitter") return put(link.jitter, parse_duration(value));
  if (name == "--shape") return put(link.shape, parse_shape(value));
  if (name == "--loss") return put(link.loss, parse_probability(value));
  if (name == "--rate") return put(link.bits_per_second, parse_rate(value));
  if (name == "--queue") return put(link.queue_bytes, parse_size(value));
  if (name == "--duplicate") return put(link.duplicate, parse_probability(value));
  const auto pair = split_pair(value);  // --burst-loss and --reorder
  if (!pair) return std::unexpected(pair.error());
  const bool burst = name == "--burst-loss";
  auto first = put(burst ? link.burst_enter : link.reorder, parse_probability(pair->first));
  if (!first) return first;
  return burst ? put(link.burst_leave, parse_probability(pair->second))
               : put(link.reorder_extra, parse_duration(pair->second));
}

bool is_link_option(std::string_view name) {
  constexpr std::array<std::string_view, 9> names = {"--delay",     "--jitter",     "--shape",
                                                     "--loss",      "--rate",       "--queue",
                                                     "--duplicate", "--burst-loss", "--reorder"};
  return std::ranges::find(names, name) != names.end();
}

Result<void> check(LinkOptions& link) {
  if (link.jitter > Duration{} && link.shape == JitterShape::constant)
    link.shape = JitterShape::uniform;
  if (link.shape != JitterShape::constant && link.jitter == Duration{})
    return failure("--shape needs --jitter: a shape of what?");
  if (link.jitter_may_reorder && link.jitter == Duration{})
    return failure("--jitter-reorders needs --jitter");
  if (link.burst_enter > 0 && link.burst_leave == 0)
    return failure("--burst-loss would never leave the state that loses everything");
  return {};
}

}  // namespace

Result<double> parse_probability(std::string_view text) {
  std::string_view rest;
  const auto number = parse_number(text, rest);
  if (number && (rest.empty() || rest == "%")) {
    const double probability = rest.empty() ? *number : *number / 100;
    if (probability <= 1) return probability;
  }
  return failure(fmt::format("'{}' is not a probability such as 1% or 0.01", text));
}

Result<double> parse_rate(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"bit", 1}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}}};
  std::string_view rest;
  if (const auto number = parse_number(text, rest); number && *number > 0)
    for (const auto& [unit, factor] : units)
      if (rest == unit && *number * factor <= 1e12) return *number * factor;
  return failure(fmt::format("'{}' is not a rate such as 500kbit or 10Mbit", text));
}

Result<EmulatorOptions> parse_command_line(std::span<const std::string_view> arguments) {
  EmulatorOptions options;
  std::vector<std::size_t> directions = {0, 1};  // which links the next option is for
  std::size_t interfaces = 0;

  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto name = arguments[i];
    if (name == "--help") {
      options.help = true;
      return options;
    }
    if (!name.starts_with("--")) {
      if (interfaces == 2) return failure(fmt::format("a third interface, '{}'", name));
      options.interfaces[interfaces++] = name;
      continue;
    }
    if (name == "--forward" || name == "--backward") {
      directions = {name == "--forward" ? 0u : 1u};
      continue;
    }
    if (name == "--jitter-reorders") {
      for (const auto direction : directions) options.links[direction].jitter_may_reorder = true;
      continue;
    }
    const bool for_link = is_link_option(name);
    if (!for_link && name != "--seed" && name != "--log" && name != "--duration")
      return failure(fmt::format("unknown option {}", name));
    if (++i == arguments.size()) return failure(fmt::format("{} needs a value", name));

    const auto value = arguments[i];
    Result<void> done;
    if (for_link) {
      for (const auto direction : directions)
        if (done) done = put_link_option(options.links[direction], name, value);
    } else if (name == "--seed") {
      done = put(options.seed, parse_seed(value));
    } else if (name == "--log") {
      options.log = value;
    } else {
      done = put(options.duration, parse_duration(value));
    }
    if (!done) return std::unexpected(done.error().while_doing(std::string(name)));
  }

  if (interfaces != 2) return failure("two interfaces are needed");
  if (options.interfaces[0] == options.interfaces[1])
    return failure("the two interfaces are the same");
  for (auto& link : options.links)
    if (auto fine = check(link); !fine) return std::unexpected(fine.error());
  return options;
}

}  // namespace sojourn::testbed
