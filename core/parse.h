#pragma once
// Values as people write them, with one parser for each kind.  An error is one line that quotes the
// text and says what is valid.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kind.h"
#include "core/result.h"
#include "core/time.h"

namespace sojourn {

/// Without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// The parts of a list with commas between, in order: one more than there are commas, and those
/// that are empty too.
std::vector<std::string_view> split_at_commas(std::string_view text);

/// "a, b and c" with "and".
std::string listed(std::span<const std::string_view> names, std::string_view last_word);

/// "'x' is not a table; choose from exact, staged, fridge".  The names come from where they are
/// defined.
std::unexpected<Error> unknown_name(std::string_view text, std::string_view what,
                                    std::span<const std::string_view> names);

/// Kinds of round trips: "tcp,dns", or "all".
Result<KindSet> parse_kinds(std::string_view text);

/// As parse_duration, but must be positive.
Result<Duration> parse_positive_duration(std::string_view text);
/// "20ms", or "-20ms".
Result<Duration> parse_signed_duration(std::string_view text);

/// From `low` to `high`.
Result<double> parse_between(std::string_view text, double low, double high);

/// A whole number from `least` to `most`, exact in all 64 bits; "1e6" is accepted too.
Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most);
/// The same of numbers that may be negative.
Result<std::int64_t> parse_integer(std::string_view text, std::int64_t least, std::int64_t most);

/// A port, from `least` to 65535.
Result<std::uint16_t> parse_port(std::string_view text, std::uint16_t least = 0);

/// An IP protocol: "tcp", "udp", "icmp", "icmpv6", or the number of any.
Result<std::uint8_t> parse_protocol(std::string_view text);
/// As parse_protocol understands it: "tcp", "47".
std::string protocol_name(std::uint8_t protocol);

/// 32 bits: "2588908095", or "0x9a4f9a3f".
Result<std::uint32_t> parse_word(std::string_view text);

/// The range of valid shares.
struct ShareRange {
  double low = 0, high = 1;
  bool above_low = false;   ///< `low` itself is not valid
  bool below_high = false;  ///< `high` itself is not valid
};
/// "0.01", or "1%".
Result<double> parse_share(std::string_view text, const ShareRange& range = {});

/// 99.9 of "p99.9"; above 0 and below 100.
Result<double> parse_percentile(std::string_view text);

/// Bytes a second from "10Gbit" or "155Mbit/s": decimal, as links are named.
Result<double> parse_capacity(std::string_view text);

/// A host and a port: "host:4739", "192.0.2.1:4739", "[2001:db8::1]:4739".  Without a port also
/// "host" and "2001:db8::1": an IPv6 address in front of a port needs its brackets.
struct HostPort {
  std::string host;  ///< a name or an address, without brackets
  std::uint16_t port = 0;

  /// A listener may leave out the host or write "*", which gives an empty `host` and means every
  /// address of this machine.  It may leave the port to the system, which is 0.  A connecting side
  /// may not.
  enum class Use : std::uint8_t { connect, listen };
  /// Without a usual port the text must have one.
  static Result<HostPort> parse(std::string_view text, Use use,
                                std::optional<std::uint16_t> usual_port);
  /// As parse understands it: "*:4739", "[2001:db8::1]:4739".
  std::string to_string() const;

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

}  // namespace sojourn
