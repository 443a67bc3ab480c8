#pragma once
// The state that the TCP rules keep per connection: one cache line.

#include <cstddef>
#include <cstdint>

#include "core/choose.h"
#include "core/flow_tag.h"
#include "core/time.h"
#include "roundtrip/rules/coarse_time.h"

namespace sojourn {

/// Serial-number comparison, RFC 1982 and RFC 9293 section 3.4: sequence numbers and timestamps
/// wrap, so "newer" means at most 2^31 ahead (RFC 1982 leaves 2^31 itself open; this is as in
/// Linux).
constexpr SignBit newer(std::uint32_t a, std::uint32_t b) { return b - a; }
constexpr bool is_newer(std::uint32_t a, std::uint32_t b) { return is_set(newer(a, b)); }

/// What one end of the connection has sent so far.
struct TcpSide {
  std::uint32_t next_sequence;  ///< one past the highest byte sent
  std::uint32_t acknowledged;   ///< the highest acknowledgment number sent
  std::uint32_t ts_value;       ///< the newest TSval sent
  std::uint32_t ts_echo;        ///< the last TSecr sent
};
static_assert(sizeof(TcpSide) == 16);  // a power of two: either side is found by one shift

/// Which numbers of a TcpSide are valid, and what else is known about it.  Separate from TcpSide
/// only because a connection would not fit a cache line otherwise.
struct TcpKnown {
  bool sequence : 1;
  bool acknowledged : 1;
  bool window_zero : 1;
  bool ts_value : 1;
  bool ts_echo : 1;
  bool dns_boundary : 1;
  std::uint8_t dns_next : 2;  ///< DnsStreamPosition::Next at the boundary
};

/// What is known about the connection as a whole.
struct TcpEnds {
  bool syn_seen : 1;
  bool client_is_high : 1;  ///< known from a SYN, or guessed (server_guess.h)
  bool client_guessed : 1;
  bool client_known : 1;  ///< by a SYN or SYN-ACK
  bool syn_ack_seen : 1;
  bool has_super_packets : 1;       ///< see super_packets.h
  std::uint8_t ts_value_asked : 2;  ///< bit per side: data carried its newest TSval first
};

/// Computed by the first packet of the connection.
struct KnownFlowTag {
  FlowTag tag;
  std::uint16_t is_known;
};

struct alignas(64) TcpConnection {
  /// An acknowledgment is looked up whether or not its request is remembered here.
  static constexpr bool may_be_forgotten = true;

  std::uint64_t flow;
  CoarseTime last_seen;
  CoarserTime advanced[2];        ///< when next_sequence of a side last advanced
  TcpSide side[2];                ///< 0: the lower endpoint in the order of Summary::flow
  std::uint32_t dns_boundary[2];  ///< sequence number where a side's next DNS message begins
  TcpKnown known[2];
  TcpEnds ends;       ///< beside `known`: is_settled() tests both at once
  std::uint8_t life;  ///< counts the connections with these ends, modulo 256
  union {
    KnownFlowTag flow_tag;        ///< unless DNS is read from it
    std::uint16_t dns_length[2];  ///< if it is: DnsStreamPosition::length at the boundary
  };
};
static_assert(sizeof(TcpConnection) == 64);

/// A window is at most 2^30 bytes (RFC 7323 section 2.2), so a number further back is not an old
/// segment but another connection whose SYN was not captured.
inline constexpr std::uint32_t acknowledged_span = 1u << 30;

/// The receiver has already acknowledged this.  Either the segment is retransmitted, and Karn's
/// rule forbids using it; or it is a keep-alive (RFC 9293 section 3.8.4), which repeats an
/// acknowledged byte.  A byte repeated before its acknowledgment is a retransmission.
constexpr SignBit acknowledged_before(std::uint32_t end, std::uint32_t acknowledged) {
  const std::uint32_t since = acknowledged - end;
  static_assert(acknowledged_span == 1u << 30);
  return ~(since | since << 1);  // both of the highest bits are 0
}
inline bool was_acknowledged(std::uint32_t end, const TcpConnection& connection,
                             std::size_t receiver) {
  return connection.known[receiver].acknowledged &&
         is_set(acknowledged_before(end, connection.side[receiver].acknowledged));
}

/// A segment with this end passed before, or that is unknown by now.  A segment that ends at the
/// highest byte sent is certainly a retransmission.  One that ends further back may be late, or its
/// first copy was lost before the capture.  That is ruled out if nothing new was sent for longer
/// than the timeout.
inline bool passed_before(std::uint32_t end, const TcpConnection& connection, std::size_t sender,
                          CoarserTime now, unsigned patience) {
  const std::uint32_t sent = connection.side[sender].next_sequence;
  const int known = connection.known[sender].sequence, is_the_end = end == sent,
            is_behind = !is_newer(end, sent),
            is_late = connection.advanced[sender].is_older(patience, now);
  return (known & (is_the_end | (is_behind & is_late))) != 0;
}

}  // namespace sojourn
