// Requests and responses in TCP: segments, handshake, timestamps, the life of a connection.

#include "roundtrip/pair_key.h"
#include "roundtrip/pairing.h"
#include "wire/dns.h"

namespace sojourn {
namespace {

bool has(const Summary& packet, std::uint8_t flags) { return (packet.tcp_flags & flags) != 0; }
bool is_syn(const Summary& packet) { return has(packet, tcp_syn) && !has(packet, tcp_ack); }
bool is_syn_ack(const Summary& packet) { return has(packet, tcp_syn) && has(packet, tcp_ack); }

/// Sequence numbers that the segment takes, RFC 9293 section 3.4: SYN and FIN count as one each.
std::uint32_t sequence_length(const Summary& packet) {
  return packet.payload + has(packet, tcp_syn) + has(packet, tcp_fin);
}

/// The answer comes from the server: the delay covers the server's leg.  Without a SYN the lower
/// port is taken for the server's.
Leg leg_of_answer(const Summary& packet, const TcpConnection& connection, unsigned sender) {
  const bool from_client = connection.client_known ? connection.client_is_high == (sender == 1)
                                                   : packet.source_port > packet.destination_port;
  return from_client ? Leg::client : Leg::server;
}

/// A probe repeats a byte, or risks one, only to make the peer speak: not data on its way.
bool is_probe(const Summary& packet, const TcpConnection& connection, unsigned sender) {
  if (packet.payload > 1 || has(packet, tcp_syn | tcp_fin)) return false;
  if (!connection.known[sender].sequence) return false;
  const std::uint32_t next = connection.side[sender].next_sequence;
  const bool keep_alive = packet.sequence == next - 1;  // RFC 9293 section 3.8.4
  const bool zero_window_probe =                        // RFC 9293 section 3.8.6.1
      packet.sequence == next && connection.known[1 - sender].window_zero;
  return keep_alive || zero_window_probe;
}

/// The receiver has acknowledged this already: the segment is sent again, and Karn's rule forbids
/// to use it.  A window is at most 2^30 bytes (RFC 7323 section 2.2), so what lies further back is
/// no old segment but another connection whose SYN we did not see.
bool was_acknowledged(std::uint32_t end, const TcpConnection& connection, unsigned receiver) {
  return connection.known[receiver].acknowledged &&
         connection.side[receiver].acknowledged - end < 1u << 30;
}

/// A SYN or SYN-ACK tells who is the client.  A SYN also opens the connection anew, unless it
/// repeats the one that opened it.
void meet_ends(const Summary& packet, TcpConnection& connection) {
  const unsigned client = is_syn(packet) ? side_of_sender(packet) : 1 - side_of_sender(packet);
  const bool repeated = connection.known[client].sequence &&
                        connection.side[client].next_sequence == packet.sequence + sequence_length(packet);
  if (is_syn(packet) && !repeated) {
    const std::uint64_t flow = connection.flow;
    connection = TcpConnection{};
    connection.flow = flow;
    connection.last_seen = packet.time;
  }
  connection.client_known = true;
  connection.client_is_high = client == 1;
}

}  // namespace

void Pairing::tcp(const Summary& packet, std::uint32_t index) {
  TcpConnection& connection = tcp_.at(packet.flow, packet.time);
  connection.last_seen = packet.time;

  if (has(packet, tcp_syn)) [[unlikely]] meet_ends(packet, connection);

  if (options_.kinds.has(Kind::handshake)) tcp_handshake(packet, index, connection);
  if (options_.kinds.has(Kind::tcp_ts) && packet.has_timestamps)
    tcp_timestamps(packet, index, connection);
  if (options_.kinds.has(Kind::flow) && (is_syn(packet) || has(packet, tcp_fin | tcp_rst)))
    tcp_life(packet, index, connection);
  if (options_.kinds.has(Kind::dns) && packet.payload > 0 &&
      (packet.source_port == dns_port || packet.destination_port == dns_port))
    dns_stream(packet, index, connection);
  tcp_segment(packet, index, connection);  // last: it moves next_sequence on
}

void Pairing::tcp_segment(const Summary& packet, std::uint32_t index, TcpConnection& connection) {
  const unsigned sender = side_of_sender(packet);
  TcpSide& mine = connection.side[sender];
  TcpKnown& known = connection.known[sender];
  const bool wanted = options_.kinds.has(Kind::tcp);

  // An acknowledgment number is looked up when it is first seen; once more would find nothing,
  // because what it covers is not asked for again.
  if (has(packet, tcp_ack) && !(known.acknowledged && mine.acknowledged == packet.acknowledgment)) {
    if (wanted)
      answer(packet, index, Kind::tcp,
             pair_key(key_, packet.flow, packet.acknowledgment, Kind::tcp, 1 - sender),
             leg_of_answer(packet, connection, sender));
    if (!known.acknowledged || is_newer(packet.acknowledgment, mine.acknowledged))
      mine.acknowledged = packet.acknowledgment;
    known.acknowledged = true;
  }

  const std::uint32_t length = sequence_length(packet);
  if (length > 0 && !has(packet, tcp_rst) && !packet.first_fragment &&
      !is_probe(packet, connection, sender)) {
    const std::uint32_t end = packet.sequence + length;
    if (wanted && packet.ip_length() >= options_.full_size &&
        !was_acknowledged(end, connection, 1 - sender))
      ask(packet, index, Kind::tcp, pair_key(key_, packet.flow, end, Kind::tcp, sender),
          repeat_is_ambiguous);
    if (!known.sequence || is_newer(end, mine.next_sequence)) mine.next_sequence = end;
    known.sequence = true;
  }
  known.window_zero = packet.window == 0 && !has(packet, tcp_syn | tcp_fin | tcp_rst);
}

void Pairing::tcp_handshake(const Summary& packet, std::uint32_t index, TcpConnection& connection) {
  // Three spans, each with its own key: SYN to SYN-ACK, SYN-ACK to ACK, SYN to ACK.  The ACK that
  // ends the handshake starts where the SYN ended, so its sequence number finds the whole span.
  const unsigned sender = side_of_sender(packet);
  const auto key = [&](std::uint32_t token, unsigned requester, Leg leg) {
    return pair_key(key_, packet.flow, token, Kind::handshake, requester, leg);
  };
  if (connection.handshake_done) return;
  if (is_syn(packet)) {
    if (connection.syn_ack_seen) return;  // a late copy
    const std::uint32_t end = packet.sequence + 1;
    ask(packet, index, Kind::handshake, key(end, sender, Leg::server),
        repeat_is_ambiguous | half_of_span);
    ask(packet, index, Kind::handshake, key(end, sender, Leg::sum), repeat_is_ambiguous);
  } else if (is_syn_ack(packet)) {
    answer(packet, index, Kind::handshake, key(packet.acknowledgment, 1 - sender, Leg::server),
           Leg::server);
    ask(packet, index, Kind::handshake, key(packet.sequence + 1, sender, Leg::client),
        repeat_is_ambiguous | half_of_span);
    // A second SYN-ACK means that the first, or its ACK, was lost: the whole span then holds a
    // time-out, so asking for it again marks it ambiguous.
    if (connection.syn_ack_seen)
      ask(packet, index, Kind::handshake, key(packet.acknowledgment, 1 - sender, Leg::sum),
          repeat_is_ambiguous);
    connection.syn_ack_seen = true;
  } else if (connection.syn_ack_seen && has(packet, tcp_ack) && !has(packet, tcp_rst) &&
             connection.client_is_high == (sender == 1)) {
    answer(packet, index, Kind::handshake, key(packet.acknowledgment, 1 - sender, Leg::client),
           Leg::client);
    answer(packet, index, Kind::handshake, key(packet.sequence, sender, Leg::sum), Leg::sum,
           sent_by_requester);
    connection.handshake_done = true;
  }
}

void Pairing::tcp_timestamps(const Summary& packet, std::uint32_t index, TcpConnection& connection) {
  const unsigned sender = side_of_sender(packet);
  TcpSide& mine = connection.side[sender];
  TcpKnown& known = connection.known[sender];

  // RFC 7323 section 3.2: TSecr is only valid with ACK set.
  if (has(packet, tcp_ack) && !(known.ts_echo && mine.ts_echo == packet.ts_echo)) {
    answer(packet, index, Kind::tcp_ts,
           pair_key(key_, packet.flow, packet.ts_echo, Kind::tcp_ts, 1 - sender),
           leg_of_answer(packet, connection, sender));
    mine.ts_echo = packet.ts_echo;
    known.ts_echo = true;
  }
  // Pure ACKs are skipped: RFC 7323 section 4.3 has the peer echo them only once its application
  // next writes, and we would report its thinking time as delay.
  if (sequence_length(packet) > 0 && !has(packet, tcp_rst) &&
      (!known.ts_value || is_newer(packet.ts_value, mine.ts_value))) {
    ask(packet, index, Kind::tcp_ts, pair_key(key_, packet.flow, packet.ts_value, Kind::tcp_ts, sender),
        0);
    mine.ts_value = packet.ts_value;
    known.ts_value = true;
  }
}

void Pairing::tcp_life(const Summary& packet, std::uint32_t index, const TcpConnection& connection) {
  const std::uint64_t key = pair_key(key_, packet.flow, 0, Kind::flow, 0);
  const bool from_client = connection.client_is_high == (side_of_sender(packet) == 1);
  if (is_syn(packet))
    ask(packet, index, Kind::flow, key, long_lived);
  else
    answer(packet, index, Kind::flow, key, Leg::sum, from_client ? sent_by_requester : 0);
}

}  // namespace sojourn
