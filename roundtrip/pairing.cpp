#include "roundtrip/pairing.h"

#include "roundtrip/pair_key.h"

namespace sojourn {

Pairing::Pairing(const HashKey& key, const PairingOptions& options)
    : key_(key), options_(options), tcp_(options.idle), quic_(options.idle) {}

std::span<const PairEvent> Pairing::events(std::span<const Summary> batch) {
  events_.clear();
  for (const Summary& packet : batch)
    if (packet.content == Content::tcp) tcp_.prefetch(packet.flow);

  std::uint32_t index = 0;
  for (const Summary& packet : batch) {
    switch (packet.content) {
      case Content::tcp: tcp(packet, index); break;
      case Content::dns_query: exchange(packet, index, Kind::dns, true, packet.token()); break;
      case Content::dns_response: exchange(packet, index, Kind::dns, false, packet.token()); break;
      case Content::ntp_request: exchange(packet, index, Kind::ntp, true, packet.token()); break;
      case Content::ntp_response: exchange(packet, index, Kind::ntp, false, packet.token()); break;
      case Content::icmp_request: exchange(packet, index, Kind::icmp, true, packet.token()); break;
      case Content::icmp_reply: exchange(packet, index, Kind::icmp, false, packet.token()); break;
      case Content::quic_long:
      case Content::quic_short: quic(packet, index); break;
      case Content::other: break;
    }
    ++index;
  }
  return events_;
}

void Pairing::exchange(const Summary& packet, std::uint32_t index, Kind kind, bool is_request,
                       std::uint64_t token) {
  if (!options_.kinds.has(kind)) return;
  const unsigned sender = side_of_sender(packet);
  if (is_request) {
    ask(packet, index, kind, pair_key(key_, packet.flow, token, kind, sender),
        repeat_is_ambiguous);
  } else {
    answer(packet, index, kind, pair_key(key_, packet.flow, token, kind, 1 - sender), Leg::server);
  }
}

}  // namespace sojourn
