#include "roundtrip/rules/quic_rules.h"

#include <algorithm>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t https_port = 443;
constexpr std::uint64_t handshake_token = 1;

/// Each edge has its own, so that an edge whose answer was lost does not wait for the next one's.
constexpr std::uint64_t spin_token(int edge) { return 0x100u + static_cast<std::uint8_t>(edge); }

/// A large ClientHello takes several datagrams, sent at once.  An Initial that comes later than
/// this after its predecessor is a retransmission: RFC 9002 section 6.2.2 starts at 1 s, and
/// implementations that know the path go down to a few hundred milliseconds.
constexpr Duration retransmission_gap = 200ms;

/// RFC 9312 section 3.8.2: a packet that was overtaken around an edge shows two edges too many.
/// They come within a small part of the period, and are rejected.
constexpr std::uint32_t earliest_edge = 8;  // a period's eighth

/// RFC 9000 section 17.4 lets an endpoint send random values.  Half of their edges contradict what
/// the other end sends, so an edge that does weighs more than one that agrees, and beyond a limit
/// the bit is noise.
constexpr int contradiction_weight = 3, noise_limit = 6, most_contradictions = 30;

bool is_client(const QuicConnection& connection, unsigned side) {
  return connection.client_is_high == (side == 1);
}

/// Takes note of an edge unless it came too soon to be one.
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
      write.ask(Kind::quic, handshake_token, repeat_is_ambiguous | half_of_span, Leg::server);
      write.ask(Kind::quic, handshake_token, repeat_is_ambiguous, Leg::sum);
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

  // RFC 9000 section 17.4: the server reflects what it received, the client sends the inverse.
  const bool from_client = is_client(connection, sender);
  const bool explained = theirs.spin_known && (theirs.spin == mine.spin) != from_client;
  if (theirs.spin_known) {
    const int change = explained ? -1 : contradiction_weight;
    connection.contradictions = static_cast<std::uint8_t>(
        std::clamp(connection.contradictions + change, 0, most_contradictions));
  }
  if (connection.contradictions > noise_limit) return;

  // One whole period, edge to edge of one direction: the client's if it is seen at all.
  if (from_client || !theirs.spin_known) {
    write.close(Kind::quic, spin_token(mine.edges - 1), from_client ? 0 : requester_is_server);
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
    // A short header says nothing of itself: it is believed on the well-known port, or after a
    // long header.
    if (packet.content == Content::quic_short && !well_known) return out;
    connection = &connections_.at(packet.flow, packet.time);
  }
  EventWriter write{key_, packet, index, out};
  if (!connection->client_known) {
    const bool from_server = well_known
                                 ? packet.source_port == https_port
                                 : packet.content == Content::quic_long && !packet.quic_initial;
    connection->client_known = true;
    connection->client_is_high = (write.sender() == 1) != from_server;
  }
  if (packet.content == Content::quic_long || !connection->client_replied)
    handshake(write, *connection);
  if (packet.content == Content::quic_short) spin(write, *connection);
  connection->last_seen = packet.time;
  return write.end();
}

}  // namespace sojourn
