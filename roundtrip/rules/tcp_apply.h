#pragma once
// One TCP packet through the rules.  Nearly all packets neither open nor close anything, so this is
// the common path; what few packets need is in tcp_rules.cpp.

#include <bit>
#include <cstddef>
#include <cstring>

#include "core/choose.h"
#include "roundtrip/rules/tcp_rules.h"

namespace sojourn {

inline bool has(const Summary& packet, std::uint8_t flags) {
  return (packet.tcp_flags & flags) != 0;
}

/// Sequence numbers of the segment, RFC 9293 section 3.4: SYN and FIN count as one each.
inline std::uint32_t sequence_length(const Summary& packet) {
  return packet.payload + has(packet, tcp_syn) + has(packet, tcp_fin);
}

/// ResponseFlag bits of a response: whether it comes from the client, and whether that is a guess.
/// (Both bits have the same position in TcpEnds as in ResponseFlag; a test checks this.)
inline unsigned answer_flags(const TcpConnection& connection, std::size_t sender) {
  const unsigned ends = std::bit_cast<std::uint8_t>(connection.ends);
  return (ends ^ static_cast<unsigned>(sender ^ 1u) << 1) & (requester_is_server | leg_is_guessed);
}

/// A zero-window probe sends one byte only to make the peer answer (RFC 9293 section 3.8.6.1): it
/// does not count as data in flight.
inline bool is_probe(const Summary& packet, const TcpConnection& connection, std::size_t sender) {
  return connection.known[1 - sender].window_zero && packet.payload <= 1 &&
         !has(packet, tcp_syn | tcp_fin) && connection.known[sender].sequence &&
         packet.sequence == connection.side[sender].next_sequence;
}

inline void TcpRules::timestamps(EventWriter& write, TcpConnection& connection) const {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  TcpSide& mine = connection.side[sender];
  TcpKnown& known = connection.known[sender];

  // RFC 7323 section 3.2: TSecr is only valid with ACK set.  It is known whether the peer's newest
  // value is waiting for an echo; in a one-way transfer that saves half of the look-ups.
  if (has(packet, tcp_ack) && !(known.ts_echo && mine.ts_echo == packet.ts_echo)) {
    const unsigned receiver = sender ^ 1u;
    const bool in_vain = connection.known[receiver].ts_value &&
                         connection.side[receiver].ts_value == packet.ts_echo &&
                         !(connection.ends.ts_value_asked >> receiver & 1u);
    if (!in_vain)
      write.answer_any_leg(Kind::tcp_ts, packet.ts_echo, answer_flags(connection, sender));
    mine.ts_echo = packet.ts_echo;
    known.ts_echo = true;
  }
  // Pure ACKs are skipped: by RFC 7323 section 4.3 the peer echoes them only when its application
  // next writes, and its thinking time would be reported as delay.
  // A value that they were first to carry is not used: its echo may answer them, not later data.
  if (!known.ts_value || is_newer(packet.ts_value, mine.ts_value)) {
    const bool asks = sequence_length(packet) > 0 && !has(packet, tcp_rst);
    if (asks) write.ask(Kind::tcp_ts, packet.ts_value, 0);
    const unsigned other = connection.ends.ts_value_asked & ~(1u << sender);
    connection.ends.ts_value_asked = (other | unsigned{asks} << sender) & 3u;
    mine.ts_value = packet.ts_value;
    known.ts_value = true;
  }
}

/// A packet of TCP that neither opens nor closes anything and has a window: nearly all packets.
/// Its flags, content and bits are compared as one word (a test compares that with the members).
[[gnu::always_inline]] inline bool is_plain(const Summary& packet) {
  constexpr auto at = [](std::size_t offset) { return 8 * (offset - offsetof(Summary, window)); };
  constexpr std::size_t bits = offsetof(Summary, tcp_flags) + 1;
  constexpr std::uint64_t first_fragment = 8;
  constexpr std::uint64_t looked_at = std::uint64_t{0xff} << at(offsetof(Summary, content)) |
                                      std::uint64_t{tcp_syn | tcp_fin | tcp_rst | tcp_ack}
                                          << at(offsetof(Summary, tcp_flags)) |
                                      first_fragment << at(bits);
  constexpr std::uint64_t plain = std::uint64_t{static_cast<std::uint8_t>(Content::tcp)}
                                      << at(offsetof(Summary, content)) |
                                  std::uint64_t{tcp_ack} << at(offsetof(Summary, tcp_flags));
  static_assert(std::endian::native == std::endian::little &&
                offsetof(Summary, origin) == bits + 1);
  std::uint64_t end;
  std::memcpy(&end, reinterpret_cast<const std::byte*>(&packet) + offsetof(Summary, window),
              sizeof end);
  return (end & looked_at) == plain && packet.window != 0 && packet.ip_length() <= longest_packet;
}

/// Both ends have sent and acknowledged data and their windows are open.
[[gnu::always_inline]] inline bool is_settled(const TcpConnection& connection) {
  struct State {  // as they lie in TcpConnection: four bytes, one comparison
    TcpKnown known[2];
    TcpEnds ends;
    std::uint8_t life;
  };
  static_assert(offsetof(TcpConnection, ends) == offsetof(TcpConnection, known) + 2 &&
                offsetof(TcpConnection, life) == offsetof(TcpConnection, known) + 3);
  State settled{}, looked_at{};
  settled.known[0].sequence = settled.known[0].acknowledged = true;
  settled.known[1] = settled.known[0];
  looked_at = settled;
  looked_at.known[0].window_zero = looked_at.known[1].window_zero = true;
  looked_at.ends.has_super_packets = true;
  std::uint32_t state;
  std::memcpy(&state,
              reinterpret_cast<const std::byte*>(&connection) + offsetof(TcpConnection, known),
              sizeof state);
  return (state & std::bit_cast<std::uint32_t>(looked_at)) == std::bit_cast<std::uint32_t>(settled);
}

/// Compiled twice: for settled packets the compiler drops what they cannot need (docs/results/
/// rules.md has the gain: 7 to 10 % of all instructions).  Whether such a packet is a request or a
/// response is unpredictable, so there is no branch on it.
template <bool settled, bool every_segment>
[[gnu::always_inline]] inline void TcpRules::segment(EventWriter& write,
                                                     TcpConnection& connection) {
  const Summary& packet = write.packet();
  std::size_t sender = write.sender();
  asm("" : "+r"(sender));  // g++ would keep it in several widths
  const std::size_t receiver = sender ^ 1u;
  TcpSide& mine = connection.side[sender];
  const TcpSide& theirs = connection.side[receiver];
  TcpKnown& known = connection.known[sender];
  const bool knows_sequence = settled || known.sequence;
  const bool knows_acknowledged = settled || known.acknowledged;
  const bool knows_theirs = settled || connection.known[receiver].sequence;
  const std::uint32_t acknowledgment = packet.acknowledgment;
  const std::uint32_t length = settled ? packet.payload : sequence_length(packet);
  const std::uint32_t end = packet.sequence + length;
  const CoarserTime now{packet.time};

  // An acknowledgment number is looked up when first seen; a second look-up would find nothing,
  // because what it covers is not requested again.
  const unsigned answers =
      unpredictable((settled || has(packet, tcp_ack)) &
                    !(knows_acknowledged & (mine.acknowledged == acknowledgment)));
  // An acknowledgment of bytes never sent belongs to an older connection, or to segments that the
  // capture missed.  It says nothing about the segments seen.
  const SignBit was_sent = sign_bit(!knows_theirs) | ~newer(acknowledgment, theirs.next_sequence);
  // A settled packet is shorter than 2^31, so the sign of its negated length tells.
  const SignBit carries =
      settled ? 0u - length
              : sign_bit(length != 0 && !has(packet, tcp_rst) && !packet.first_fragment &&
                         !is_probe(packet, connection, sender));
  const SignBit moves_on = carries & (sign_bit(!knows_sequence) | newer(end, mine.next_sequence));
  const auto remember = [&] {
    const SignBit is_highest =
        sign_bit(!knows_acknowledged) | newer(acknowledgment, mine.acknowledged);
    // For settled packets a newer number was not seen before, so `answers` adds nothing.
    const SignBit is_news = settled ? was_sent : was_sent & sign_bit(answers != 0);
    mine.acknowledged = choose_by_sign(is_news & is_highest, acknowledgment, mine.acknowledged);
    mine.next_sequence = choose_by_sign(moves_on, end, mine.next_sequence);
    connection.advanced[sender].move_if(moves_on, now);
  };
  // As early as possible: what is remembered need not be kept in registers.
  if (settled) remember();
  if (every_segment || wants_segments_) {
    const SignBit is_acknowledged = sign_bit(settled || connection.known[receiver].acknowledged) &
                                    acknowledged_before(end, theirs.acknowledged);
    const SignBit is_large = sign_bit(every_segment || packet.ip_length() >= full_size_);
    unsigned asks = (carries & is_large & ~is_acknowledged) >> 31;
    asm("" : "+r"(asks));  // as in unpredictable()
    std::uint8_t request_flags = repeat_is_ambiguous;
    if (is_set(carries & ~moves_on)) [[unlikely]]  // else two branches, each hard to predict
      if (passed_before(end, connection, sender, now, patience_)) request_flags |= is_copy;
    if (!settled && (connection.ends.has_super_packets || packet.ip_length() > longest_packet))
        [[unlikely]] {
      super_packet(write, connection, {answers != 0, is_set(was_sent), asks != 0, request_flags});
    } else {
      const unsigned only_asks = asks & ~answers;
      write.ask_or_answer_if(answers | asks, only_asks, Kind::tcp,
                             choose(only_asks, end, acknowledgment), request_flags,
                             answer_flags(connection, sender));
      if (answers & asks) write.ask(Kind::tcp, end, request_flags);
    }
  }
  if (settled) return;
  remember();
  known.acknowledged |= (answers != 0) & is_set(was_sent);
  known.sequence |= is_set(carries);
  known.window_zero = packet.window == 0 && !has(packet, tcp_syn | tcp_fin | tcp_rst);
}

[[gnu::always_inline]] inline PairEvent* TcpRules::apply(const Summary& packet, std::uint32_t index,
                                                         PairEvent* out) {
  TcpConnection& connection = connections_.at(packet.flow, packet.time);
  connection.last_seen = packet.time;
  if (may_be_dns(packet) || !is_plain(packet) || !is_settled(connection)) [[unlikely]]
    return unsettled(packet, index, connection, out);
  if (packet.has_timestamps & wants_timestamps_)
    return wants_every_segment_ ? settled<true, true>(packet, index, connection, out)
                                : settled<true, false>(packet, index, connection, out);
  return wants_every_segment_ ? settled<false, true>(packet, index, connection, out)
                              : settled<false, false>(packet, index, connection, out);
}

}  // namespace sojourn
