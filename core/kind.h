#pragma once
// The kinds of round trip that Sojourn measures, and the legs of a path that a delay covers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sojourn {

/// What forms a request and its response; the rules are in roundtrip/.
///
/// `response` and `tls` measure what an application does.  They are measured only on request, and
/// their requests are kept with their connection instead of in a table.
enum class Kind : std::uint8_t {
  tcp,
  handshake,
  tcp_ts,
  flow,
  dns,
  ntp,
  icmp,
  quic,
  response,
  tls,
  count_
};

inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count_);
inline constexpr std::array<std::string_view, kind_count> kind_names = {
    "tcp", "handshake", "tcp-ts", "flow", "dns", "ntp", "icmp", "quic", "response", "tls"};
/// The kinds whose requests wait in a table.
inline constexpr std::size_t paired_kind_count = static_cast<std::size_t>(Kind::response);

constexpr std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }
constexpr std::string_view name_of(Kind kind) { return kind_names[index_of(kind)]; }

/// Kinds in which an unanswered request means loss, of the request or its response, or that no host
/// was there.
constexpr bool unanswered_means_lost(Kind kind) {
  return kind == Kind::handshake || kind == Kind::dns || kind == Kind::ntp || kind == Kind::icmp;
}

constexpr std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kind_count; ++i)
    if (kind_names[i] == name) return static_cast<Kind>(i);
  return std::nullopt;
}

/// A set of kinds.
class KindSet {
 public:
  static constexpr KindSet all() { return KindSet{(1u << kind_count) - 1u}; }
  /// What is measured by default.
  static constexpr KindSet usual() { return KindSet{(1u << paired_kind_count) - 1u}; }
  static constexpr KindSet none() { return KindSet{0}; }

  constexpr void add(Kind kind) { bits_ |= 1u << index_of(kind); }
  constexpr void add(KindSet kinds) { bits_ |= kinds.bits_; }
  constexpr bool has(Kind kind) const { return (bits_ >> index_of(kind)) & 1u; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  explicit constexpr KindSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

/// Which part of the path a delay covers, seen from where the capture was taken.
///
/// Without `--inside` the ends are named by their role: a request that goes to the server measures
/// the `server` leg (from here to the server and back), one that goes to the client the `client`
/// leg.  With `--inside PREFIX` they are named by place: `external` when the request leaves the
/// inside, `internal` otherwise.  `sum` is both legs together: a whole TCP handshake, a QUIC spin
/// period, the life of a connection.
///
/// A response takes the network's time and the server's own.  `network` is the smallest round trip
/// to the server seen on the same connection, `thinking` is the rest of the response time.
enum class Leg : std::uint8_t {
  server,
  client,
  external,
  internal,
  sum,
  network,
  thinking,
  count_
};

inline constexpr std::size_t leg_count = static_cast<std::size_t>(Leg::count_);
inline constexpr std::array<std::string_view, leg_count> leg_names = {
    "server", "client", "external", "internal", "sum", "network", "thinking"};

constexpr std::size_t index_of(Leg leg) { return static_cast<std::size_t>(leg); }
constexpr std::string_view name_of(Leg leg) { return leg_names[index_of(leg)]; }

/// Kinds that measure both legs of the path together, and halves of that.  Their headline, where
/// one figure represents the kind, is the whole; that of other kinds is all legs.
constexpr bool headline_is_sum(Kind kind) {
  return kind == Kind::handshake || kind == Kind::flow || kind == Kind::quic || kind == Kind::tls;
}

/// The leg to show first: the whole, else the way to the server rather than to our own hosts, whose
/// responses are often more numerous.
constexpr Leg headline_leg(Kind kind) { return headline_is_sum(kind) ? Leg::sum : Leg::server; }

/// Legs that are part of another leg, which is reported too: never added to others.
constexpr bool is_part(Leg leg) { return leg == Leg::network || leg == Leg::thinking; }

}  // namespace sojourn
