#include "core/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "core/units.h"

namespace sojourn {
namespace {

/// The number at the front of `text`, which is removed from it.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The whole text as a number.
std::optional<double> number_of(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

std::string words_of(const ShareRange& range) {
  return fmt::format("{} {:g} {} {:g}", range.above_low ? "above" : "from", range.low,
                     range.below_high  ? "to below"
                     : range.above_low ? "and up to"
                                       : "to",
                     range.high);
}

}  // namespace

std::unexpected<Error> unknown_name(std::string_view text, std::string_view what,
                                    std::span<const std::string_view> names) {
  const bool before_vowel =
      !what.empty() && std::string_view{"aeiou"}.find(what[0]) != std::string_view::npos;
  const char* const article = before_vowel ? "an" : "a";
  return failure(fmt::format("'{}' is not {} {}; choose from {}", text, article, what,
                             fmt::join(names, ", ")));
}

Result<KindSet> parse_kinds(std::string_view text) {
  KindSet kinds = KindSet::none();
  while (true) {
    const auto comma = text.find(',');
    const auto name = text.substr(0, comma);
    const auto kind = kind_named(name);
    if (kind)
      kinds.add(*kind);
    else if (name == "all" || name == "usual")
      kinds.add(name == "all" ? KindSet::all() : KindSet::usual());
    else
      return unknown_name(name, "kind", kind_names);
    if (comma == std::string_view::npos) return kinds;
    text.remove_prefix(comma + 1);
  }
}

Result<Duration> parse_positive_duration(std::string_view text) {
  auto duration = parse_duration(text);
  if (duration && *duration <= Duration::zero())
    return failure(fmt::format("'{}' must be positive", text));
  return duration;
}

Result<Duration> parse_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  auto duration = parse_duration(negative ? text.substr(1) : text);
  if (duration && negative) return -*duration;
  return duration;
}

Result<double> parse_between(std::string_view text, double low, double high) {
  const auto number = number_of(text);
  if (number && *number >= low && *number <= high) return *number;
  return failure(fmt::format("'{}' is not a number from {} to {}", text, low, high));
}

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto number = number_of(text);
  if (number && *number == std::floor(*number) && *number >= static_cast<double>(least) &&
      *number <= static_cast<double>(most))
    return static_cast<std::uint64_t>(*number);
  return failure(fmt::format("'{}' is not a whole number from {} to {}", text, least,
                             most == 1'000'000'000'000 ? "10^12" : std::to_string(most)));
}

Result<std::uint32_t> parse_word(std::string_view text) {
  const bool hex = text.starts_with("0x");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint32_t word = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), word, hex ? 16 : 10);
  if (error == std::errc{} && end == digits.data() + digits.size() && !digits.empty()) return word;
  return failure(fmt::format("'{}' is not a number of 32 bits, such as 0x9a3f9a3f", text));
}

Result<double> parse_share(std::string_view text, const ShareRange& range) {
  const bool percent = text.ends_with('%');
  auto share = number_of(text.substr(0, text.size() - (percent ? 1 : 0)));
  if (share && percent) *share /= 100;
  const bool fits = share && *share >= range.low && *share <= range.high &&
                    !(range.above_low && *share == range.low) &&
                    !(range.below_high && *share == range.high);
  if (fits) return *share;
  return failure(fmt::format("'{}' is not a share {}, such as 0.05 or 5%", text, words_of(range)));
}

Result<double> parse_capacity(std::string_view text) {
  std::string_view unit = text;
  const auto number = take_number(unit);
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  const double factor = unit == "bit"    ? 1
                        : unit == "kbit" ? 1e3
                        : unit == "Mbit" ? 1e6
                        : unit == "Gbit" ? 1e9
                                         : 0;
  if (number && *number > 0 && factor > 0) return *number * factor / 8;
  return failure(fmt::format("'{}' is not a capacity such as 10Gbit or 155Mbit", text));
}

}  // namespace sojourn
