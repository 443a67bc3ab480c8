#pragma once
// The TCP packet that nearly all are: it neither opens nor ends anything.

#include "core/choose.h"
#include "roundtrip/rules/tcp_rules.h"
#include "wire/headers/dns.h"

namespace sojourn {

inline bool has(const Summary& packet, std::uint8_t flags) {
  return (packet.tcp_flags & flags) != 0;
}

/// Sequence numbers that the segment takes, RFC 9293 section 3.4: SYN and FIN count as one each.
inline std::uint32_t sequence_length(const Summary& packet) {
  return packet.payload + has(packet, tcp_syn) + has(packet, tcp_fin);
}

/// The answer comes from the server: the delay covers the server's leg.  Without a SYN the lower
/// port is taken for the server's.
inline Leg leg_of_answer(const Summary& packet, const TcpConnection& connection, unsigned sender) {
  const bool from_client = connection.client_known ? connection.client_is_high == (sender == 1)
                                                   : packet.source_port > packet.destination_port;
  static_assert(static_cast<unsigned>(Leg::server) == 0 && static_cast<unsigned>(Leg::client) == 1);
  return static_cast<Leg>(unpredictable(from_client));
}

/// Both ends have sent and acknowledged something, and their windows are open.
inline bool both_are_settled(const TcpConnection& connection) {
  TcpKnown settled{}, looked_at{};
  settled.sequence = settled.acknowledged = true;
  looked_at.sequence = looked_at.acknowledged = looked_at.window_zero = true;
  const auto bits = [](const TcpKnown& low, const TcpKnown& high) {
    return std::bit_cast<std::uint8_t>(low) | std::bit_cast<std::uint8_t>(high) << 8;
  };
  return (bits(connection.known[0], connection.known[1]) & bits(looked_at, looked_at)) ==
         bits(settled, settled);
}

inline void TcpRules::timestamps(EventWriter& write, TcpConnection& connection) const {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  TcpSide& mine = connection.side[sender];
  TcpKnown& known = connection.known[sender];

  // RFC 7323 section 3.2: TSecr is only valid with ACK set.  Of the peer's newest value we know
  // whether it is waiting for an echo; in a transfer one way that spares half of the look-ups.
  if (has(packet, tcp_ack) && !(known.ts_echo && mine.ts_echo == packet.ts_echo)) {
    const unsigned receiver = 1 - sender;
    const bool in_vain = connection.known[receiver].ts_value &&
                         connection.side[receiver].ts_value == packet.ts_echo &&
                         !(connection.ts_value_asked >> receiver & 1u);
    if (!in_vain)
      write.answer_any_leg(Kind::tcp_ts, packet.ts_echo, leg_of_answer(packet, connection, sender));
    mine.ts_echo = packet.ts_echo;
    known.ts_echo = true;
  }
  // Pure ACKs are skipped: RFC 7323 section 4.3 has the peer echo them only once its application
  // next writes, and we would report its thinking time as delay.
  // A value that they were first to carry is spent: its echo may answer them, not later data.
  if (!known.ts_value || is_newer(packet.ts_value, mine.ts_value)) {
    const bool asks = sequence_length(packet) > 0 && !has(packet, tcp_rst);
    if (asks) write.ask(Kind::tcp_ts, packet.ts_value, 0);
    const unsigned other = connection.ts_value_asked & ~(1u << sender);
    connection.ts_value_asked = (other | unsigned{asks} << sender) & 3u;
    mine.ts_value = packet.ts_value;
    known.ts_value = true;
  }
}

inline bool TcpRules::is_steady(const Summary& packet, const TcpConnection& connection) const {
  constexpr std::uint8_t looked_at = tcp_syn | tcp_fin | tcp_rst | tcp_ack;
  if (wants_dns_ && (packet.source_port == dns_port || packet.destination_port == dns_port))
    return false;
  return ((packet.tcp_flags & looked_at) == tcp_ack) & (packet.window != 0) &
         !packet.first_fragment & both_are_settled(connection);
}

/// What unsteady() does, for such a packet.  Most of them either ask or answer, and which one
/// follows no pattern, so there is no branch on it.
[[gnu::always_inline]] inline PairEvent* TcpRules::steady(const Summary& packet,
                                                          std::uint32_t index,
                                                          TcpConnection& connection,
                                                          PairEvent* out) const {
  EventWriter write{key_, packet, index, out};
  if (packet.has_timestamps && wants_timestamps_) timestamps(write, connection);

  const unsigned sender = write.sender();
  TcpSide& mine = connection.side[sender];
  const TcpSide& theirs = connection.side[1 - sender];
  const std::uint32_t acknowledgment = packet.acknowledgment;
  const std::uint32_t end = packet.sequence + packet.payload;
  const bool carries = packet.payload != 0;
  const unsigned answers = unpredictable(mine.acknowledged != acknowledgment);
  const unsigned asks = unpredictable(carries & (packet.ip_length() >= full_size_) &
                                      (theirs.acknowledged - end >= acknowledged_span));
  if (wants_segments_) {
    const Leg leg = leg_of_answer(packet, connection, sender);
    const unsigned only_asks = asks & ~answers;
    write.ask_or_answer_if(answers | asks, only_asks, Kind::tcp,
                           choose(only_asks, end, acknowledgment), repeat_is_ambiguous, leg);
    if (answers & asks) write.ask(Kind::tcp, end, repeat_is_ambiguous);
  }
  const bool is_news = is_newer(acknowledgment, mine.acknowledged);
  const bool was_sent = !is_newer(acknowledgment, theirs.next_sequence);
  const bool moves_on = carries & is_newer(end, mine.next_sequence);
  mine.acknowledged = choose(is_news & was_sent, acknowledgment, mine.acknowledged);
  mine.next_sequence = choose(moves_on, end, mine.next_sequence);
  return write.end();
}

[[gnu::always_inline]] inline PairEvent* TcpRules::apply(const Summary& packet, std::uint32_t index,
                                                         PairEvent* out) {
  TcpConnection& connection = connections_.at(packet.flow, packet.time);
  connection.last_seen = packet.time;
  if (is_steady(packet, connection)) [[likely]]
    return steady(packet, index, connection, out);
  return unsteady(packet, index, connection, out);
}

}  // namespace sojourn
