#pragma once
// The fast path for most packets: in order, and neither opening nor closing anything.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/choose.h"
#include "roundtrip/rules/tcp_apply.h"
#include "roundtrip/turns/turn_record.h"
#include "wire/headers/tls.h"

namespace sojourn {

/// A sender with more data sends full segments, so data after a smaller one is another write.
/// Every path carries 1280 bytes (RFC 8200 section 5), so full segments have 1200 bytes or more.
inline constexpr std::uint32_t full_segment = 1200;

/// The effect of a packet on the fast path.
enum class Plain : std::uint8_t {
  no,       ///< not handled: it needs the full rules
  nothing,  ///< to report
  asks,     ///< it began a request
  answers,  ///< it is the first packet of an answer
};

/// Can this packet belong to a TLS handshake?
[[gnu::always_inline]] inline bool may_be_handshake(const Summary& packet,
                                                    const TurnRecord& record) {
  if (record.state.stage == TlsStage::over) return false;
  if (record.state.stage != TlsStage::none) return true;
  return packet.payload_offset < packet.ip_captured &&
         packet.ip[packet.payload_offset] == static_cast<std::byte>(TlsContent::handshake);
}

/// What the server has received; see TurnTracker::acknowledge().  Whether this is the first
/// acknowledgment of everything is unpredictable, so there is no branch on it.
[[gnu::always_inline]] inline void hear(const Summary& packet, TurnRecord& record) {
  const std::uint32_t heard = packet.acknowledgment;
  const std::int64_t round_trip = difference_ns(to_ns(packet.time), to_ns(record.asked_at));
  const unsigned hears_all = record.state.is_timed & !is_newer(record.asked_end, heard);
  const unsigned is_faster =
      unpredictable(hears_all & (round_trip >= 0) &
                    (!record.state.network_known | (round_trip < to_ns(record.network))));
  record.network = Duration{
      static_cast<std::int64_t>(choose(is_faster, static_cast<std::uint64_t>(round_trip),
                                       static_cast<std::uint64_t>(to_ns(record.network))))};
  record.state.network_known = record.state.network_known | (is_faster != 0);
  record.state.is_timed = record.state.is_timed & (hears_all == 0);
  const unsigned is_higher =
      unpredictable(!record.state.has_acknowledged | is_newer(heard, record.acknowledged));
  record.acknowledged = choose(is_higher, heard, record.acknowledged);
  record.state.has_acknowledged = true;
}

/// The rules of TurnTracker for a plain packet, for which little of them remains: a second
/// implementation (docs/results/rules.md has its gain; a test compares the two).
template <bool wants_tls>
[[gnu::always_inline]] inline Plain take_plain(const Summary& packet, TurnRecord& record) {
  constexpr std::uint8_t flags = tcp_syn | tcp_fin | tcp_rst | tcp_ack;
  if ((packet.tcp_flags & flags) != tcp_ack || packet.first_fragment ||
      !(record.state.client_known | record.state.client_guessed)) [[unlikely]]
    return Plain::no;
  const unsigned sender = side_of_sender(packet), receiver = 1 - sender;
  const std::uint32_t end = packet.sequence + packet.payload, heard = packet.acknowledgment;
  const bool is_data = packet.payload != 0;
  const bool is_known = record.knows_next(sender),
             in_order = packet.sequence == record.next[sender];
  if (is_data & !(is_known & in_order)) [[unlikely]]
    return Plain::no;
  if (wants_tls && is_data && may_be_handshake(packet, record)) [[unlikely]]
    return Plain::no;
  const bool knows_theirs = record.knows_next(receiver);
  const std::uint32_t theirs = record.next[receiver];
  if (record.state.client_is_high == (sender != 0)) {
    if (!is_data) return Plain::nothing;
    const bool begins = record.state.turn != Turn::client;
    const bool becomes_unclear = begins ? knows_theirs & is_newer(theirs, heard)
                                        : record.state.ends_in_piece & !record.state.is_unclear;
    if (becomes_unclear) [[unlikely]]
      return Plain::no;
    record.state.turn = Turn::client;
    record.state.is_unclear = record.state.is_unclear & !begins;
    record.state.ends_in_piece = packet.payload < full_segment;
    record.state.is_timed = true;
    record.asked_at = packet.time;
    record.asked_end = record.next[sender] = end;
    return begins ? Plain::asks : Plain::nothing;
  }
  const bool is_asked = is_data & (record.state.turn == Turn::client);
  if ((knows_theirs & is_newer(heard, theirs)) | (is_asked & is_newer(record.asked_end, heard)))
      [[unlikely]]
    return Plain::no;
  hear(packet, record);
  if (!is_data) return Plain::nothing;
  record.next[sender] = end;
  record.state.turn = Turn::server;
  return is_asked ? Plain::answers : Plain::nothing;
}

}  // namespace sojourn
