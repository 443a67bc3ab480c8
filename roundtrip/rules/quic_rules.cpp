#include "roundtrip/rules/quic_rules.h"

#include <algorithm>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t https_port = 443;
constexpr std::uint64_t handshake_token = 1;

/// Each edge has its own token, so that an edge whose answer was lost is not matched by the next
/// one's.
constexpr std::uint64_t spin_token(int edge) { return 0x10000u + static_cast<std::uint16_t>(edge); }

/// A large ClientHello takes several datagrams, sent at once.  An Initial that comes later than
/// this after its predecessor is a retransmission: RFC 9002 section 6.2.2 starts at 1 s, and
/// implementations that know the path go down to a few hundred milliseconds.
constexpr Duration retransmission_gap = 200ms;

/// RFC 9312 section 3.8.2: a packet reordered around an edge shows two spurious edges.  They come
/// within a small part of the period, and are rejected.
constexpr std::uint32_t earliest_edge = 8;  // a period's eighth

/// RFC 9000 section 17.4 lets an endpoint leave the bit fixed or send random values, and the
/// traffic may not be QUIC.  So the bit counts only once both ends have followed it.  An edge
/// explained by the other end's value lowers the doubt.  One that contradicts it raises the doubt
/// by more, since half of all random edges are explained by chance.  From `first_doubt` eight edges
/// in a row suffice, four from each end; random values get there in 1 of 33 connections
/// (quic_rules_test).
constexpr int contradiction_weight = 3, believed_up_to = 6, first_doubt = 14, most_doubt = 30;

bool is_client(const QuicConnection& connection, unsigned side) {
  return connection.client_is_high == (side == 1);
}

/// Records an edge unless it came too early to be one.
bool accept_edge(QuicSide& side, bool spin, Timestamp now) {
  if (side.edge_known) {
    const std::int64_t gap_us = to_ns(difference(now, side.last_edge)) / 1000;
    if (gap_us < side.period_us / earliest_edge) return false;
    side.period_us = static_cast<std::uint32_t>(std::clamp<std::int64_t>(gap_us, 0, 60'000'000));
  }
  ++side.edges;
  side.last_edge = now;
  side.edge_known = true;
  side.spin = spin;
  return true;
}

void handshake(EventWriter& write, QuicConnection& connection) {
  const Summary& packet = write.packet();
  if (is_client(connection, write.sender())) {
    const bool repeated = connection.client_spoke &&
                          difference(packet.time, connection.last_seen) >= retransmission_gap;
    if (packet.quic_initial && !connection.server_spoke && (!connection.client_spoke || repeated)) {
      const std::uint8_t copy = repeated ? is_copy : 0;
      write.ask(Kind::quic, handshake_token, repeat_is_ambiguous | half_of_span | copy,
                Leg::server);
      write.ask(Kind::quic, handshake_token, repeat_is_ambiguous | copy, Leg::sum);
      if (!connection.client_spoke) connection.opened = packet.time;
      connection.client_spoke = true;
    } else if (connection.server_spoke && !connection.client_replied) {
      write.answer(Kind::quic, handshake_token, Leg::client);
      write.close(Kind::quic, handshake_token);
      connection.client_replied = true;
      const std::int64_t whole_us = to_ns(difference(packet.time, connection.opened)) / 1000;
      for (QuicSide& side : connection.side)
        side.period_us =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole_us, 0, 60'000'000));
    }
  } else if (connection.client_spoke && !connection.server_spoke) {
    write.answer(Kind::quic, handshake_token, Leg::server);
    write.ask(Kind::quic, handshake_token, repeat_is_ambiguous | half_of_span, Leg::client);
    connection.server_spoke = true;
  }
}

/// A short header has the fixed bit, RFC 9000 section 17.3.1.  Ends that send it at random have
/// agreed on that in a handshake (RFC 9287); without one, a packet that lacks it is another
/// protocol.
bool lacks_fixed_bit(const Summary& packet) {
  constexpr std::byte fixed_bit{0x40};
  return packet.payload_offset < packet.ip_captured &&
         (packet.ip[packet.payload_offset] & fixed_bit) == std::byte{0};
}

/// True if the edge that `sender` just sent fits what the other end sent last, RFC 9000 section
/// 17.4: the server reflects what it received, the client sends the inverse.
bool follows(const QuicConnection& connection, unsigned sender) {
  const QuicSide& theirs = connection.side[1 - sender];
  return theirs.spin_known &&
         (theirs.spin == connection.side[sender].spin) != is_client(connection, sender);
}

void spin(EventWriter& write, QuicConnection& connection) {
  const Summary& packet = write.packet();
  const unsigned sender = write.sender();
  QuicSide& mine = connection.side[sender];
  const QuicSide& theirs = connection.side[1 - sender];
  if (!mine.spin_known) {
    mine.spin_known = true;
    mine.spin = packet.quic_spin;
    return;
  }
  if (mine.spin == packet.quic_spin || !accept_edge(mine, packet.quic_spin, packet.time)) return;

  const bool explained = follows(connection, sender);
  const int change = explained ? -1 : contradiction_weight;
  connection.doubt =
      static_cast<std::uint8_t>(std::clamp(connection.doubt + change, 0, most_doubt));
  if (connection.doubt > believed_up_to || !theirs.edge_known) return;

  // One whole period, edge to edge of the client.
  const bool from_client = is_client(connection, sender);
  if (from_client) {
    write.close(Kind::quic, spin_token(mine.edges - 1));
    write.ask(Kind::quic, spin_token(mine.edges), 0, Leg::sum);
  }
  if (explained)
    write.answer(Kind::quic, spin_token(theirs.edges), from_client ? Leg::client : Leg::server);
  write.ask(Kind::quic, spin_token(mine.edges), half_of_span,
            from_client ? Leg::server : Leg::client);
}

}  // namespace

PairEvent* QuicRules::apply(const Summary& packet, std::uint32_t index, PairEvent* out) {
  if (!wanted_) return out;
  const bool well_known = packet.source_port == https_port || packet.destination_port == https_port;
  QuicConnection* connection = connections_.find(packet.flow);
  if (!connection) {
    // A short header cannot be recognised by itself: on the well-known port it may be QUIC,
    // elsewhere only after a long header.
    if (packet.content == Content::quic_short && !well_known) return out;
    connection = &connections_.at(packet.flow, packet.time);
  }
  EventWriter write{key_, packet, index, {}, out};
  if (!connection->client_known) {
    const bool from_server = well_known
                                 ? packet.source_port == https_port
                                 : packet.content == Content::quic_long && !packet.quic_initial;
    connection->client_known = true;
    connection->doubt = first_doubt;
    connection->client_is_high = (write.sender() == 1) != from_server;
  }
  if (packet.content == Content::quic_long) {
    connection->is_quic = true;
    handshake(write, *connection);
  } else {
    connection->not_quic |= !connection->is_quic && lacks_fixed_bit(packet);
    if (connection->is_quic || !connection->not_quic) spin(write, *connection);
  }
  connection->last_seen = packet.time;
  tag_events({out, write.end()}, Kind::quic, packet);
  return write.end();
}

}  // namespace sojourn
