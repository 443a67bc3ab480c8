#pragma once
// Packets in, samples out: the plain values of the library's interface.

#include <sojourn/version.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sojourn::v0 {

/// What forms a request and its response.
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
  tls
};
inline constexpr std::size_t kind_count = 10;

/// Which part of the path a delay covers, seen from the capture point.
enum class Leg : std::uint8_t {
  server,    ///< from here to the server and back
  client,    ///< from here to the client and back
  external,  ///< with `inside` prefixes: the request left the inside
  internal,  ///< with `inside` prefixes: it did not
  sum,       ///< both legs together: a whole handshake, the life of a connection
  network,   ///< response and tls: the smallest round trip to the server on this connection
  thinking,  ///< response and tls: the rest of the response time, the server's own
  headline   ///< the sum if the kind has one, otherwise all legs together
};

/// "tcp-ts", "server"; empty for a number that has no name.
SOJOURN_API std::string_view name_of(Kind kind);
SOJOURN_API std::string_view name_of(Leg leg);

/// IPv4 in the first four bytes, or IPv6; network order.
struct Address {
  std::uint8_t bytes[16];
  std::uint8_t version;  ///< 4 or 6

  SOJOURN_API std::string text() const;
};

/// A packet to be measured.  The bytes are borrowed until the call returns.
struct Packet {
  std::int64_t time_ns = 0;  ///< since 1970
  const void* data = nullptr;
  std::uint32_t captured = 0;   ///< bytes at `data`
  std::uint32_t length = 0;     ///< bytes that were on the wire
  std::uint16_t link_type = 1;  ///< by the numbers of the LINKTYPE registry; 1 is Ethernet
};

/// One measured delay.  The layout is fixed: an array of samples can be passed on as it is.
struct Sample {
  std::int64_t time_ns;   ///< when the response passed
  std::int64_t delay_ns;  ///< negative if the clock of the capture stepped
  double weight;          ///< how many real pairs it represents
  Address requester;      ///< who sent the request
  Address responder;
  std::uint16_t requester_port;
  std::uint16_t responder_port;
  std::uint16_t vlan;  ///< 0xffff: none
  Kind kind;
  Leg leg;
  std::uint8_t reserved[6];
};
static_assert(sizeof(Sample) == 72);

/// A quantile and its interval at the requested confidence.
struct Quantile {
  double q = 0;
  std::int64_t delay_ns = 0;
  std::int64_t low_ns = 0;
  std::int64_t high_ns = 0;
  /// False if the data cannot bound the value on that side: then `low_ns` is the least, or
  /// `high_ns` the greatest delay seen, and the true value may be beyond.
  bool bounded_below = true;
  bool bounded_above = true;
};

/// A named count, such as skipped packets and the reason.
struct Count {
  std::string name;
  std::uint64_t count = 0;
};

}  // namespace sojourn::v0
