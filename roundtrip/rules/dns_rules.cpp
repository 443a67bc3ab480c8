#include "roundtrip/rules/dns_rules.h"

#include <optional>
#include <span>

#include "wire/headers/dns.h"

namespace sojourn {
namespace {

using Next = DnsStreamPosition::Next;

/// Where to look for messages in this segment.  In order, the stream position tells.  After a gap,
/// or when the capture began in mid-stream, the segment is assumed to start with a message, as
/// nearly all do.
DnsStreamPosition position_in(const Summary& packet, const TcpConnection& connection,
                              unsigned sender) {
  const std::uint32_t boundary = connection.dns_boundary[sender];
  const TcpKnown& known = connection.known[sender];
  if (!known.dns_boundary || is_newer(packet.sequence, boundary)) return {};
  return {boundary - packet.sequence, connection.dns_length[sender],
          static_cast<Next>(known.dns_next)};
}

void remember(const std::optional<DnsStreamPosition>& position, const Summary& packet,
              TcpConnection& connection, unsigned sender) {
  TcpKnown& known = connection.known[sender];
  known.dns_boundary = position.has_value();
  if (!position) return;
  connection.dns_boundary[sender] = packet.sequence + position->offset;
  connection.dns_length[sender] = position->length;
  known.dns_next = static_cast<std::uint8_t>(position->next) & 3u;
}

}  // namespace

void read_dns_stream(EventWriter& write, TcpConnection& connection, unsigned patience) {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  if (packet.payload_offset > packet.ip_captured) return;
  const std::span captured{packet.ip + packet.payload_offset,
                           static_cast<std::size_t>(packet.ip_captured - packet.payload_offset)};
  const bool seen_before =
      connection.known[sender].sequence &&
      !is_newer(packet.sequence + packet.payload, connection.side[sender].next_sequence);

  // A retransmitted segment repeats its messages, which makes them ambiguous; the stream position
  // does not move.  If the other end has acknowledged it, its messages may be answered already and
  // are not requests again.
  if (seen_before && was_acknowledged(packet.sequence + packet.payload, connection, 1 - sender))
    return;
  const bool copies = passed_before(packet.sequence + packet.payload, connection, sender,
                                    CoarserTime{packet.time}, patience);
  const auto flags = static_cast<std::uint8_t>(repeat_is_ambiguous | (copies ? is_copy : 0));
  const auto start = seen_before ? DnsStreamPosition{} : position_in(packet, connection, sender);
  const auto end = walk_dns_stream(captured, packet.payload, start, [&](const DnsMessage& message) {
    // The direction must fit: after a gap, the supposed message may be the middle of another.
    if (message.response && packet.source_port == dns_port)
      write.answer(Kind::dns, message.token, Leg::server);
    if (!message.response && packet.destination_port == dns_port)
      write.ask(Kind::dns, message.token, flags);
  });
  if (!seen_before) remember(end, packet, connection, sender);
}

}  // namespace sojourn
