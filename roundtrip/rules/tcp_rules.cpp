#include "roundtrip/rules/tcp_rules.h"

#include <utility>

#include "roundtrip/rules/dns_rules.h"
#include "roundtrip/rules/tcp_steady.h"
#include "wire/headers/dns.h"

namespace sojourn {
namespace {

bool is_syn(const Summary& packet) { return has(packet, tcp_syn) && !has(packet, tcp_ack); }
bool is_syn_ack(const Summary& packet) { return has(packet, tcp_syn) && has(packet, tcp_ack); }

/// A zero-window probe risks a byte only to make the peer speak (RFC 9293 section 3.8.6.1): not
/// data on its way.
bool is_probe(const Summary& packet, const TcpConnection& connection, unsigned sender) {
  return packet.payload <= 1 && !has(packet, tcp_syn | tcp_fin) &&
         connection.known[1 - sender].window_zero && connection.known[sender].sequence &&
         packet.sequence == connection.side[sender].next_sequence;
}

/// A SYN or SYN-ACK tells who is the client.  A SYN also opens the connection anew, unless it
/// repeats the one that opened it: then it lies a little behind what was sent since (it may have
/// carried data the first time).  A new connection's SYN lies ahead (RFC 9293 section 3.6.1).
void meet_ends(const Summary& packet, TcpConnection& connection) {
  const unsigned client = is_syn(packet) ? side_of_sender(packet) : 1 - side_of_sender(packet);
  const bool repeated = connection.known[client].sequence &&
                        connection.side[client].next_sequence - (packet.sequence + 1) < 1u << 16;
  if (is_syn(packet) && !repeated) {
    const TcpConnection before = std::exchange(connection, TcpConnection{});
    connection.flow = before.flow;
    connection.last_seen = packet.time;
    const bool is_reused = before.known[0].sequence || before.known[1].sequence;
    connection.life = static_cast<std::uint8_t>(before.life + is_reused);
  }
  connection.syn_seen |= is_syn(packet);
  connection.client_known = true;
  connection.client_is_high = client == 1;
}

}  // namespace

TcpRules::TcpRules(const HashKey& key, const PairingOptions& options)
    : key_(key),
      wants_segments_(options.kinds.has(Kind::tcp)),
      wants_timestamps_(options.kinds.has(Kind::tcp_ts)),
      wants_handshake_(options.kinds.has(Kind::handshake)),
      wants_life_(options.kinds.has(Kind::flow)),
      wants_dns_(options.kinds.has(Kind::dns)),
      full_size_(options.full_size),
      connections_(options.idle, first_connections, options.most_connections, options.in_use) {}

PairEvent* TcpRules::unsteady(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                              PairEvent* out) const {
  const bool opens_or_ends = has(packet, tcp_syn | tcp_fin | tcp_rst);
  const bool may_be_dns = packet.source_port == dns_port || packet.destination_port == dns_port;
  const bool first_acknowledgment = !connection.known[side_of_sender(packet)].acknowledged;
  if (opens_or_ends | first_acknowledgment | may_be_dns) [[unlikely]]
    out = rare(packet, index, connection, out);

  EventWriter write{key_, packet, index, out};
  if (packet.has_timestamps && wants_timestamps_) timestamps(write, connection);
  segment(write, connection);  // last: it moves next_sequence on
  return write.end();
}

/// What few packets need, kept out of the way of the many.
[[gnu::noinline]] PairEvent* TcpRules::rare(const Summary& packet, std::uint32_t index,
                                            TcpConnection& connection, PairEvent* out) const {
  EventWriter write{key_, packet, index, out};
  if (has(packet, tcp_syn)) meet_ends(packet, connection);
  if (wants_life_) life(write, connection);
  if (wants_handshake_) handshake(write, connection);
  if (wants_dns_ && packet.payload > 0 &&
      (packet.source_port == dns_port || packet.destination_port == dns_port))
    read_dns_stream(write, connection);
  return write.end();
}

inline void TcpRules::segment(EventWriter& write, TcpConnection& connection) const {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  TcpSide& mine = connection.side[sender];
  TcpKnown& known = connection.known[sender];

  // An acknowledgment number is looked up when it is first seen; once more would find nothing,
  // because what it covers is not asked for again.
  if (has(packet, tcp_ack) && !(known.acknowledged && mine.acknowledged == packet.acknowledgment)) {
    if (wants_segments_)
      write.answer_any_leg(Kind::tcp, packet.acknowledgment,
                           leg_of_answer(packet, connection, sender));
    // What was never sent cannot be acknowledged: such a number is of an older connection, or of
    // segments that the capture missed, and tells nothing about those that we see.
    const unsigned receiver = 1 - sender;
    const bool was_sent = !connection.known[receiver].sequence ||
                          !is_newer(packet.acknowledgment, connection.side[receiver].next_sequence);
    if (was_sent) {
      if (!known.acknowledged || is_newer(packet.acknowledgment, mine.acknowledged))
        mine.acknowledged = packet.acknowledgment;
      known.acknowledged = true;
    }
  }

  const std::uint32_t length = sequence_length(packet);
  if (length > 0 && !has(packet, tcp_rst) && !packet.first_fragment &&
      !is_probe(packet, connection, sender)) {
    const std::uint32_t end = packet.sequence + length;
    if (wants_segments_ && packet.ip_length() >= full_size_ &&
        !was_acknowledged(end, connection, 1 - sender))
      write.ask(Kind::tcp, end, repeat_is_ambiguous);
    if (!known.sequence || is_newer(end, mine.next_sequence)) mine.next_sequence = end;
    known.sequence = true;
  }
  known.window_zero = packet.window == 0 && !has(packet, tcp_syn | tcp_fin | tcp_rst);
}

void TcpRules::handshake(EventWriter& write, TcpConnection& connection) const {
  // Three spans, each with its own key: SYN to SYN-ACK, SYN-ACK to ACK, SYN to ACK.  The ACK that
  // ends the handshake starts where the SYN ended, so its sequence number finds the whole span.
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  const bool over =
      connection.client_known && connection.known[connection.client_is_high].acknowledged;
  constexpr std::uint8_t half = repeat_is_ambiguous | half_of_span;
  if (is_syn(packet)) {
    if (connection.syn_ack_seen) return;  // a late copy
    write.ask(Kind::handshake, packet.sequence + 1, half, Leg::server);
    write.ask(Kind::handshake, packet.sequence + 1, repeat_is_ambiguous, Leg::sum);
    if (packet.payload > 0) {  // RFC 7413: the server may take the data, then all moves on
      const std::uint32_t end = packet.sequence + sequence_length(packet);
      write.ask(Kind::handshake, end, half, Leg::server);
      write.ask(Kind::handshake, end, half, Leg::sum);
    }
  } else if (is_syn_ack(packet)) {
    if (over) return;
    write.answer(Kind::handshake, packet.acknowledgment, Leg::server);
    write.ask(Kind::handshake, packet.sequence + 1, half, Leg::client);
    // A second SYN-ACK means that the first, or its ACK, was lost: the whole span then holds a
    // time-out, so asking for it again, in the client's name, marks it ambiguous.
    if (connection.syn_ack_seen && connection.syn_seen)
      write.write(Kind::handshake, Leg::sum, true, repeat_is_ambiguous,
                  pair_key(key_, packet.flow, packet.acknowledgment, Kind::handshake, 1 - sender,
                           Leg::sum));
    connection.syn_ack_seen = true;
  } else if (has(packet, tcp_ack) && !has(packet, tcp_rst) &&
             !connection.known[sender].acknowledged) {
    // The first acknowledgment of this end that we remember.  It may end a handshake even if its
    // SYN is forgotten, so whether a delay is found does not depend on how long it was.
    write.answer(Kind::handshake, packet.acknowledgment, Leg::client);
    write.close(Kind::handshake, packet.sequence);
  }
}

void TcpRules::life(EventWriter& write, const TcpConnection& connection) const {
  const Summary& packet = write.packet();
  const std::uint64_t key = pair_key(key_, packet.flow, connection.life, Kind::flow, 0);
  const bool from_client = leg_of_answer(packet, connection, write.sender()) == Leg::client;
  if (is_syn(packet))
    write.write(Kind::flow, Leg::sum, true, long_lived, key);
  else if (has(packet, tcp_fin | tcp_rst))
    write.write(Kind::flow, Leg::sum, false, from_client ? sent_by_requester : 0, key);
}

}  // namespace sojourn
