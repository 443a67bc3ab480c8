#include "core/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/address.h"
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

/// Reads digits, so that no number is rounded on its way: a double holds only 53 bits.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  const auto power = std::min(text.find_first_of("eE"), text.size());
  int zeros = 0;
  if (power < text.size()) {
    std::string_view digits = text.substr(power + 1);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), zeros);
    if (error != std::errc{} || end != digits.data() + digits.size() || zeros < -400 || zeros > 400)
      return std::nullopt;
  }
  const std::string_view mantissa = text.substr(0, power);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits{mantissa.substr(0, point)};
  if (point < mantissa.size()) digits += mantissa.substr(point + 1);
  zeros -= static_cast<int>(digits.size() - point);
  if (digits.empty()) return std::nullopt;
  for (; zeros < 0 && digits.size() > 1 && digits.ends_with('0'); ++zeros) digits.pop_back();
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (digits == "0") return 0;
  constexpr int most_digits = std::numeric_limits<std::uint64_t>::digits10 + 1;
  if (zeros < 0 || zeros > most_digits) return std::nullopt;
  digits.append(static_cast<std::size_t>(zeros), '0');
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// Neither a space nor a sign that separates the parts of an address or a list of them.
bool may_name_host(unsigned char byte) {
  constexpr std::string_view separators = "/@,[]?#\\";
  return byte > ' ' && byte != 0x7f && separators.find(static_cast<char>(byte)) == separators.npos;
}

/// Also with a zone: "fe80::1%eth0".
bool is_ipv6(std::string_view text) {
  const auto address = IpAddress::parse(text.substr(0, text.find('%')));
  return address && address->version() == IpVersion::v6;
}

struct Protocol {
  std::uint8_t number;  ///< IANA's
  std::string_view name;
};
constexpr std::array protocols = {Protocol{1, "icmp"}, Protocol{6, "tcp"}, Protocol{17, "udp"},
                                  Protocol{58, "icmpv6"}};

std::string words_of(const ShareRange& range) {
  return fmt::format("{} {:g} {} {:g}", range.above_low ? "above" : "from", range.low,
                     range.below_high  ? "to below"
                     : range.above_low ? "and up to"
                                       : "to",
                     range.high);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  const auto first = text.find_first_not_of(spaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string listed(std::span<const std::string_view> names, std::string_view last_word) {
  if (names.size() < 2) return names.empty() ? std::string{} : std::string{names.front()};
  return fmt::format("{} {} {}", fmt::join(names.first(names.size() - 1), ", "), last_word,
                     names.back());
}

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
  for (const std::string_view name : split_at_commas(text)) {
    const auto kind = kind_named(name);
    if (kind)
      kinds.add(*kind);
    else if (name == "all" || name == "usual")
      kinds.add(name == "all" ? KindSet::all() : KindSet::usual());
    else
      return unknown_name(name, "kind", kind_names);
  }
  return kinds;
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
  const auto number = whole_number(text);
  if (number && *number >= least && *number <= most) return *number;
  return failure(fmt::format("'{}' is not a whole number from {} to {}", text, least,
                             most == 1'000'000'000'000 ? "10^12" : std::to_string(most)));
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  const bool negative = text.starts_with('-');
  const auto size = whole_number(negative ? text.substr(1) : text);
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (size && *size <= largest + negative) {
    // What is subtracted wraps as two's complement does, so that the smallest number is right too.
    const auto number = static_cast<std::int64_t>(negative ? 0 - *size : *size);
    if (number >= least && number <= most) return number;
  }
  return failure(fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

Result<std::uint16_t> parse_port(std::string_view text, std::uint16_t least) {
  if (const auto port = parse_count(text, least, 65'535)) return static_cast<std::uint16_t>(*port);
  return failure(fmt::format("'{}' is not a port from {} to 65535", text, least));
}

Result<std::uint8_t> parse_protocol(std::string_view text) {
  const auto known = std::ranges::find(protocols, text, &Protocol::name);
  if (known != protocols.end()) return known->number;
  if (const auto number = parse_count(text, 0, 255)) return static_cast<std::uint8_t>(*number);
  return failure(fmt::format("'{}' is not a protocol from 0 to 255", text));
}

std::string protocol_name(std::uint8_t protocol) {
  const auto known = std::ranges::find(protocols, protocol, &Protocol::number);
  return known != protocols.end() ? std::string{known->name} : std::to_string(protocol);
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

Result<double> parse_percentile(std::string_view text) {
  const auto number = text.starts_with('p') ? number_of(text.substr(1)) : std::nullopt;
  if (number && *number > 0 && *number < 100) return *number;
  return failure(fmt::format("'{}' is not a percentile such as p95 or p99.9", text));
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

Result<HostPort> HostPort::parse(std::string_view text, Use use,
                                 std::optional<std::uint16_t> usual_port) {
  const auto wrong = [text](std::string_view why) {
    return failure(fmt::format("'{}': {}", text, why));
  };
  std::string_view host = text;
  std::optional<std::string_view> port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos) return wrong("the ']' behind its address is missing");
    host = text.substr(1, end - 1);
    if (!is_ipv6(host)) return wrong("only an IPv6 address stands in brackets");
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return wrong("behind the ']' comes only :PORT");
    if (!rest.empty()) port = rest.substr(1);
  } else if (const auto colon = text.find(':'); colon != text.npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  } else if (colon != text.npos && !is_ipv6(text)) {
    return wrong("neither HOST:PORT nor an IPv6 address, which has brackets if a port follows");
  }
  HostPort parsed;
  if (use == Use::connect || host != "*") parsed.host = host;
  // An empty text is no way to say "every address": that would be an option without a value.
  if (host.empty() && (use == Use::connect || text.empty())) return wrong("there is no host");
  if (!std::ranges::all_of(parsed.host, may_name_host) || parsed.host == "*")
    return wrong("this is not the name of a host");
  if (!port && !usual_port) return wrong("there is no port");
  const std::uint16_t least = use == Use::listen ? 0 : 1;
  const auto number = port ? parse_port(*port, least) : Result<std::uint16_t>{*usual_port};
  if (!number) return wrong(fmt::format("the port is a whole number from {} to 65535", least));
  parsed.port = *number;
  return parsed;
}

std::string HostPort::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port)
            : fmt::format("{}:{}", host.empty() ? "*" : host, port);
}

}  // namespace sojourn
