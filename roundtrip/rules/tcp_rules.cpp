#include "roundtrip/rules/tcp_rules.h"

#include <utility>

#include "roundtrip/rules/dns_rules.h"
#include "roundtrip/rules/server_guess.h"
#include "roundtrip/rules/tcp_apply.h"
#include "wire/headers/dns.h"

namespace sojourn {
namespace {

bool is_syn(const Summary& packet) { return has(packet, tcp_syn) && !has(packet, tcp_ack); }
bool is_syn_ack(const Summary& packet) { return has(packet, tcp_syn) && has(packet, tcp_ack); }

/// A SYN opens a new connection unless it repeats the one that opened this one: then its number is
/// slightly behind what was sent since (it may have carried data the first time).  A new
/// connection's SYN is ahead (RFC 9293 section 3.6.1).
void open_anew(const Summary& packet, TcpConnection& connection) {
  const unsigned client = side_of_sender(packet);
  if (connection.known[client].sequence &&
      connection.side[client].next_sequence - (packet.sequence + 1) < 1u << 16)
    return;
  const TcpConnection before = std::exchange(connection, TcpConnection{});
  connection.flow = before.flow;
  connection.last_seen = packet.time;
  const bool is_reused = before.known[0].sequence || before.known[1].sequence;
  connection.life = static_cast<std::uint8_t>(before.life + is_reused);
}

/// A SYN-ACK begins the server's sequence numbers.  If the remembered numbers do not fit, they
/// belong to another connection; its end and the next SYN were not captured.
void begin_numbers(const Summary& packet, TcpConnection& connection) {
  const unsigned server = side_of_sender(packet), client = 1 - server;
  const std::uint32_t first = packet.sequence + 1;
  if (connection.known[server].sequence &&
      connection.side[server].next_sequence - first < acknowledged_span)
    return;  // a copy
  connection.known[server].sequence = false;
  // Its acknowledgment may have been captured before it.  Any other number belongs to another
  // connection.
  if (connection.side[client].acknowledged - first >= 1u << 16)
    connection.known[client].acknowledged = false;
}

/// A SYN or SYN-ACK identifies the client.  True if it is a SYN that was seen before.
bool meet_ends(const Summary& packet, TcpConnection& connection) {
  if (is_syn(packet))
    open_anew(packet, connection);
  else
    begin_numbers(packet, connection);
  const unsigned client = is_syn(packet) ? side_of_sender(packet) : 1 - side_of_sender(packet);
  const bool is_repeated = is_syn(packet) && connection.ends.syn_seen;
  connection.ends.syn_seen |= is_syn(packet);
  connection.ends.client_known = true;
  connection.ends.client_guessed = false;
  connection.ends.client_is_high = client == 1;
  return is_repeated;
}

void guess_client(const Summary& packet, TcpConnection& connection) {
  connection.ends.client_guessed = true;
  connection.ends.client_is_high = source_is_server(packet) == (side_of_sender(packet) == 0);
}

std::uint64_t super_packet_flow(const Summary& packet, unsigned side) {
  return packet.flow ^ (side + 1) * 0x9e3779b97f4a7c15u;
}

constexpr std::size_t first_super_packet_flows = 16, fewest_super_packet_flows = 4;

/// With fixed memory, a small part of the memory for connections.
std::size_t most_super_packet_flows(const PairingOptions& options) {
  return options.most_connections == unlimited_connections ? unlimited_connections
                                                           : options.most_connections / 96;
}

}  // namespace

TcpRules::TcpRules(const HashKey& key, const PairingOptions& options)
    : key_(key),
      wants_segments_(options.kinds.has(Kind::tcp)),
      wants_timestamps_(options.kinds.has(Kind::tcp_ts)),
      wants_handshake_(options.kinds.has(Kind::handshake)),
      wants_life_(options.kinds.has(Kind::flow)),
      wants_dns_(options.kinds.has(Kind::dns)),
      wants_every_segment_(wants_segments_ && options.full_size == 0),
      full_size_(options.full_size),
      patience_(CoarserTime::steps_in(options.expire)),
      connections_(options.idle, first_connections, options.most_connections, options.in_use) {
  const std::size_t most = most_super_packet_flows(options);
  if (most >= fewest_super_packet_flows)
    super_packets_.emplace(options.idle, first_super_packet_flows, most, options.in_use);
  connections_.limit(options.connection_limit_bytes / 8 * 5);
  if (super_packets_) super_packets_->limit(options.connection_limit_bytes / 8);
}

/// Apart from the loop over packets: there g++ runs out of registers and keeps a dozen of its
/// values on the stack.  Whether timestamps are read, and whether every segment is a request, holds
/// for nearly all packets of a capture or for none.
template <bool stamped, bool every_segment>
[[gnu::noinline]] PairEvent* TcpRules::settled(const Summary& packet, std::uint32_t index,
                                               TcpConnection& connection, PairEvent* out) {
  EventWriter write{key_, packet, index, connection.flow_tag.tag, out};
  if constexpr (stamped) timestamps(write, connection);
  segment<true, every_segment>(write, connection);
  return write.end();
}
template PairEvent* TcpRules::settled<false, false>(const Summary&, std::uint32_t, TcpConnection&,
                                                    PairEvent*);
template PairEvent* TcpRules::settled<false, true>(const Summary&, std::uint32_t, TcpConnection&,
                                                   PairEvent*);
template PairEvent* TcpRules::settled<true, false>(const Summary&, std::uint32_t, TcpConnection&,
                                                   PairEvent*);
template PairEvent* TcpRules::settled<true, true>(const Summary&, std::uint32_t, TcpConnection&,
                                                  PairEvent*);

/// A packet that is not settled.  The first of a connection brings the flow's tag, the others find
/// it there: their bytes may be in the cache of the core that parsed them.
[[gnu::noinline]] PairEvent* TcpRules::unsettled(const Summary& packet, std::uint32_t index,
                                                 TcpConnection& connection, PairEvent* out) {
  const bool opens_or_ends = has(packet, tcp_syn | tcp_fin | tcp_rst);
  const bool is_dns = may_be_dns(packet);
  const bool first_acknowledgment = !connection.known[side_of_sender(packet)].acknowledged;
  const FlowTag flow = !is_dns && connection.flow_tag.is_known
                           ? connection.flow_tag.tag
                           : FlowTag::of(flow_of(Kind::tcp, packet));
  if (opens_or_ends | first_acknowledgment | is_dns)
    out = rare(packet, index, flow, connection, out);
  if (!is_dns) connection.flow_tag = {flow, true};

  EventWriter write{key_, packet, index, flow, out};
  if (packet.has_timestamps && wants_timestamps_) timestamps(write, connection);
  segment<false>(write, connection);  // last: it moves next_sequence on
  return write.end();
}

/// What few packets need, kept apart from the common path.
[[gnu::noinline]] PairEvent* TcpRules::rare(const Summary& packet, std::uint32_t index,
                                            FlowTag flow, TcpConnection& connection,
                                            PairEvent* out) const {
  EventWriter write{key_, packet, index, flow, out};
  const bool is_repeated = has(packet, tcp_syn) && meet_ends(packet, connection);
  if (!connection.ends.client_known && !connection.ends.client_guessed)
    guess_client(packet, connection);
  if (wants_life_) life(write, connection, is_repeated);
  if (wants_handshake_) handshake(write, connection, is_repeated);
  if (packet.payload > 0 && may_be_dns(packet)) {
    PairEvent* const first = write.end();
    read_dns_stream(write, connection, patience_);
    tag_events({first, write.end()}, Kind::dns, packet);
  }
  return write.end();
}

/// A packet of a connection with super-packets: its responses and requests.
[[gnu::noinline]] void TcpRules::super_packet(EventWriter& write, TcpConnection& connection,
                                              const Segment& found) {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  const TcpSide& mine = connection.side[sender];
  if (found.answers) {
    SuperPackets* const theirs =
        super_packets_ ? super_packets_->find(super_packet_flow(packet, 1 - sender)) : nullptr;
    const unsigned flags = answer_flags(connection, sender);
    const auto [oldest, is_theirs] = theirs && found.was_sent
                                         ? theirs->acknowledge(packet.acknowledgment)
                                         : SuperPackets::Reached{};
    if (oldest) {
      if (oldest->is_repeated)
        write.write(Kind::tcp, Leg::server, true, repeat_is_ambiguous | is_copy,
                    pair_key(key_, packet.flow, oldest->end, Kind::tcp, 1 - sender));
      write.answer_any_leg(Kind::tcp, oldest->end, flags);
    }
    if (!is_theirs) write.answer_any_leg(Kind::tcp, packet.acknowledgment, flags);
  }
  if (!found.asks) return;

  const std::uint32_t end = packet.sequence + sequence_length(packet);
  const bool is_news = !connection.known[sender].sequence || is_newer(end, mine.next_sequence);
  SuperPackets* sent =
      super_packets_ ? super_packets_->find(super_packet_flow(packet, sender)) : nullptr;
  if (sent && sent->repeat(packet.sequence, end) && !is_news) return;
  if (packet.ip_length() > longest_packet) {
    ++super_packet_counters_.seen;
    if (super_packets_) {
      sent = &super_packets_->at(super_packet_flow(packet, sender), packet.time);
      sent->last_seen = packet.time;
      connection.ends.has_super_packets = true;
    }
    if (sent && is_news && !sent->add(packet.sequence, end) && sent->is_split) {
      ++super_packet_counters_.left_out;
      return;
    }
  }
  write.ask(Kind::tcp, end, found.request_flags);
}

void TcpRules::handshake(EventWriter& write, TcpConnection& connection, bool is_repeated) const {
  // Three spans, each with its own key: SYN to SYN-ACK, SYN-ACK to ACK, SYN to ACK.  The ACK that
  // ends the handshake starts where the SYN ended, so its sequence number identifies the whole
  // span.
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  const bool over =
      connection.ends.client_known && connection.known[connection.ends.client_is_high].acknowledged;
  constexpr std::uint8_t half = repeat_is_ambiguous | half_of_span;
  if (is_syn(packet)) {
    if (connection.ends.syn_ack_seen) return;  // a late copy
    const std::uint8_t copy = is_repeated ? is_copy : 0;
    write.ask(Kind::handshake, packet.sequence + 1, half | copy, Leg::server);
    write.ask(Kind::handshake, packet.sequence + 1, repeat_is_ambiguous | copy, Leg::sum);
    if (packet.payload > 0) {  // RFC 7413: the server may take the data, then all moves on
      const std::uint32_t end = packet.sequence + sequence_length(packet);
      write.ask(Kind::handshake, end, half | copy, Leg::server);
      write.ask(Kind::handshake, end, half | copy, Leg::sum);
    }
  } else if (is_syn_ack(packet)) {
    if (over) return;
    write.answer(Kind::handshake, packet.acknowledgment, Leg::server);
    const bool is_second = connection.ends.syn_ack_seen && connection.known[sender].sequence &&
                           connection.side[sender].next_sequence == packet.sequence + 1;
    write.ask(Kind::handshake, packet.sequence + 1, half | (is_second ? is_copy : 0), Leg::client);
    // A second SYN-ACK means that the first, or its ACK, was lost.  The whole span then includes a
    // timeout, so it is requested again on behalf of the client, which marks it ambiguous.
    if (connection.ends.syn_ack_seen && connection.ends.syn_seen)
      write.write(Kind::handshake, Leg::sum, true, repeat_is_ambiguous | is_copy,
                  pair_key(key_, packet.flow, packet.acknowledgment, Kind::handshake, 1 - sender,
                           Leg::sum));
    connection.ends.syn_ack_seen = true;
  } else if (has(packet, tcp_ack) && !has(packet, tcp_rst) &&
             !connection.known[sender].acknowledged) {
    // The first remembered acknowledgment of this end.  It may end a handshake even if its SYN is
    // forgotten, so whether a delay is found does not depend on its length.
    write.answer(Kind::handshake, packet.acknowledgment, Leg::client);
    write.close(Kind::handshake, packet.sequence);
  }
}

void TcpRules::life(EventWriter& write, const TcpConnection& connection, bool is_repeated) const {
  const Summary& packet = write.packet();
  const std::uint64_t key = pair_key(key_, packet.flow, connection.life, Kind::flow, 0);
  const bool from_client = (answer_flags(connection, write.sender()) & requester_is_server) != 0;
  if (is_syn(packet))
    write.write(Kind::flow, Leg::sum, true, long_lived | (is_repeated ? is_copy : 0), key);
  else if (has(packet, tcp_fin | tcp_rst))
    write.write(Kind::flow, Leg::sum, false, from_client ? sent_by_requester : 0, key);
}

}  // namespace sojourn
