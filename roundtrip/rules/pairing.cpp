#include "roundtrip/rules/pairing.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/prefetch.h"
#include "roundtrip/rules/dns_rules.h"
#include "roundtrip/rules/tcp_apply.h"

namespace sojourn {
namespace {

/// DNS, NTP and ICMP: one request packet and one response packet, matched by the token.
struct Exchange {
  Kind kind;
  bool is_request;
};

Exchange exchange_of(Content content) {
  switch (content) {
    case Content::dns_query:
      return {Kind::dns, true};
    case Content::dns_response:
      return {Kind::dns, false};
    case Content::ntp_request:
      return {Kind::ntp, true};
    case Content::ntp_response:
      return {Kind::ntp, false};
    case Content::icmp_request:
      return {Kind::icmp, true};
    case Content::icmp_reply:
      return {Kind::icmp, false};
    default:
      return {Kind::count_, false};
  }
}

/// A host that pings its own address: equal ends have no lower and higher one, so requests and
/// replies have the same sender.
bool is_to_itself(const Summary& packet) {
  return packet.source_port == packet.destination_port && packet.source() == packet.destination();
}

bool is_tcp_wanted(KindSet kinds) {
  for (const Kind kind : {Kind::tcp, Kind::handshake, Kind::tcp_ts, Kind::flow, Kind::dns})
    if (kinds.has(kind)) return true;
  return false;
}

}  // namespace

Pairing::Pairing(const HashKey& key, const PairingOptions& options)
    : key_(key),
      kinds_(options.kinds),
      wants_tcp_(is_tcp_wanted(options.kinds)),
      tcp_(key, options),
      quic_(key, options),
      asked_(options.exchange_bytes) {}

std::span<const PairEvent> Pairing::events(std::span<const Summary> batch) {
  assert(batch.size() <= PairEvent::most_summaries);
  return wants_tcp_ ? events_of<true>(batch) : events_of<false>(batch);
}

/// Compiled twice: without a kind of TCP, TCP connections are not looked up.
template <bool wants_tcp>
std::span<const PairEvent> Pairing::events_of(std::span<const Summary> batch) {
  make_room(batch.size());
  PairEvent* out = events_.begin();
  const auto fetch = [&](const Summary& packet) {
    if constexpr (wants_tcp) tcp_.prefetch(packet.flow);
    prefetch_far(&packet, 16 * sizeof(Summary));  // another core may have written it
  };
  for_each_fetched(batch, fetch,
                   [&](const Summary& packet, std::uint32_t index) __attribute__((always_inline)) {
                     if (packet.content != Content::tcp) {
                       out = other(packet, index, out);
                     } else if constexpr (wants_tcp) {
                       out = tcp_.apply(packet, index, out);
                     }
                   });
  return {events_.begin(), out};
}

/// Of a packet that is not TCP.
[[gnu::noinline]] PairEvent* Pairing::other(const Summary& packet, std::uint32_t index,
                                            PairEvent* out) {
  if (packet.content == Content::quic_long || packet.content == Content::quic_short)
    return quic_.apply(packet, index, out);
  const auto [kind, is_request] = exchange_of(packet.content);
  if (kind == Kind::count_ || !kinds_.has(kind)) return out;
  return exchange(packet, index, kind, is_request, out);
}

PairEvent* Pairing::exchange(const Summary& packet, std::uint32_t index, Kind kind, bool is_request,
                             PairEvent* out) {
  EventWriter write{key_, packet, index, {}, out};
  const unsigned requester =
      is_request || is_to_itself(packet) ? write.sender() : 1 - write.sender();
  const std::uint64_t key = pair_key(key_, packet.flow, packet.token(), kind, requester);
  if (is_request) {
    const unsigned copy = asked_.ask(key, packet.time) ? is_copy : 0;
    write.write(kind, Leg::server, true, repeat_is_ambiguous | copy, key);
  } else {
    asked_.answer(key);
    write.write(kind, Leg::server, false, 0, key);
    tag_events({out, write.end()}, kind, packet);
  }
  return write.end();
}

/// As much room as this many packets could possibly need, so that the rules need no checks.  Nearly
/// all of it is never touched and takes no memory.  (An array made by `new` would be touched: a
/// Timestamp is initialised to zero.)
void Pairing::make_room(std::size_t packets) {
  if (packets <= most_packets_) return;
  std::size_t most = std::max(TcpRules::most_events, QuicRules::most_events);
  if (kinds_.has(Kind::dns)) most += most_dns_messages(std::numeric_limits<std::uint16_t>::max());
  events_ = HugeArray<PairEvent>{packets * most};
  most_packets_ = packets;
}

}  // namespace sojourn
