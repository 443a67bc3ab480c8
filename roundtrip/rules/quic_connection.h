#pragma once
// What the QUIC rules remember of a connection: one cache line.

#include <cstdint>

#include "core/time.h"

namespace sojourn {

/// The spin bit as one end sends it, RFC 9000 section 17.4.
struct QuicSide {
  Timestamp last_edge;
  std::uint32_t period_us;  ///< between the last two edges; at first the handshake's round trip
  std::uint16_t edges;      ///< number so far, modulo 2^16: each is its own request
  bool spin_known : 1;
  bool spin : 1;
  bool edge_known : 1;
};

struct alignas(64) QuicConnection {
  /// Only this state tells which edge answers which.
  static constexpr bool may_be_forgotten = false;

  std::uint64_t flow;
  Timestamp last_seen;
  QuicSide side[2];    ///< 0: the lower endpoint in the order of Summary::flow
  Timestamp opened;    ///< when the client first sent
  std::uint8_t doubt;  ///< whether the ends follow each other's spin bit: see quic_rules.cpp
  bool client_known : 1;
  bool client_is_high : 1;
  bool client_spoke : 1;
  bool server_spoke : 1;
  bool client_replied : 1;
  bool is_quic : 1;   ///< a long header was seen
  bool not_quic : 1;  ///< no long header, and something that only looks like a short one
};
static_assert(sizeof(QuicConnection) == 64);

}  // namespace sojourn
