// Requests and responses in QUIC: the handshake's long headers, then the edges of the spin bit.

#include <algorithm>

#include "roundtrip/pair_key.h"
#include "roundtrip/pairing.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t https_port = 443;
constexpr std::uint64_t handshake_token = 1, spin_token = 2;

/// A large ClientHello takes several datagrams, sent at once.  An Initial that comes later than
/// this after its predecessor is a retransmission: RFC 9002 section 6.2.2 starts at 1 s, and
/// implementations that know the path go down to a few hundred milliseconds.
constexpr Duration retransmission_gap = 200ms;

/// RFC 9312 section 4.2: a packet that was overtaken around an edge shows two edges too many.
/// They come within a small part of the period, and are rejected.
constexpr std::uint32_t earliest_edge = 8;  // a period's eighth

/// This many more contradicting than agreeing edges, and the bit is noise: RFC 9000 section 17.4
/// lets an endpoint send random values.
constexpr std::uint8_t noise_limit = 3;

bool is_client(const QuicConnection& connection, unsigned side) {
  return connection.client_is_high == (side == 1);
}

/// Takes note of an edge unless it came too soon to be one.
bool accept_edge(QuicSide& side, bool spin, Timestamp now) {
  if (side.edge_known) {
    const std::int64_t gap_us = to_ns(difference(now, side.last_edge)) / 1000;
    if (gap_us < side.period_us / earliest_edge) {
      side.period_us /= 2;  // so that a path that became much faster is believed in the end
      return false;
    }
    side.period_us = static_cast<std::uint32_t>(std::clamp<std::int64_t>(gap_us, 0, 60'000'000));
  }
  side.last_edge = now;
  side.edge_known = true;
  side.spin = spin;
  return true;
}

}  // namespace

void Pairing::quic(const Summary& packet, std::uint32_t index) {
  if (!options_.kinds.has(Kind::quic)) return;
  const bool well_known = packet.source_port == https_port || packet.destination_port == https_port;
  QuicConnection* connection = quic_.find(packet.flow);
  if (!connection) {
    // A short header says nothing of itself: it is believed on the well-known port, or after a
    // long header.
    if (packet.content == Content::quic_short && !well_known) return;
    connection = &quic_.at(packet.flow, packet.time);
  }
  const unsigned sender = side_of_sender(packet);
  if (!connection->client_known) {
    const bool from_server = well_known ? packet.source_port == https_port
                                        : packet.content == Content::quic_long && !packet.quic_initial;
    connection->client_known = true;
    connection->client_is_high = (sender == 1) != from_server;
  }
  if (packet.content == Content::quic_long || !connection->client_replied)
    quic_handshake(packet, index, *connection);
  if (packet.content == Content::quic_short) quic_spin(packet, index, *connection);
  connection->last_seen = packet.time;
}

void Pairing::quic_handshake(const Summary& packet, std::uint32_t index, QuicConnection& connection) {
  const unsigned sender = side_of_sender(packet);
  const auto key = [&](unsigned requester, Leg leg) {
    return pair_key(key_, packet.flow, handshake_token, Kind::quic, requester, leg);
  };
  if (is_client(connection, sender)) {
    const bool repeated = connection.client_spoke &&
                          difference(packet.time, connection.last_seen) >= retransmission_gap;
    if (packet.quic_initial && !connection.server_spoke && (!connection.client_spoke || repeated)) {
      ask(packet, index, Kind::quic, key(sender, Leg::server), repeat_is_ambiguous | half_of_span);
      ask(packet, index, Kind::quic, key(sender, Leg::sum), repeat_is_ambiguous);
      connection.client_spoke = true;
    } else if (connection.server_spoke && !connection.client_replied) {
      answer(packet, index, Kind::quic, key(1 - sender, Leg::client), Leg::client);
      answer(packet, index, Kind::quic, key(sender, Leg::sum), Leg::sum, sent_by_requester);
      connection.client_replied = true;
    }
  } else if (connection.client_spoke && !connection.server_spoke) {
    answer(packet, index, Kind::quic, key(1 - sender, Leg::server), Leg::server);
    ask(packet, index, Kind::quic, key(sender, Leg::client), repeat_is_ambiguous | half_of_span);
    connection.server_spoke = true;
  }
}

void Pairing::quic_spin(const Summary& packet, std::uint32_t index, QuicConnection& connection) {
  const unsigned sender = side_of_sender(packet);
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
    if (explained && connection.contradictions > 0) --connection.contradictions;
    if (!explained && connection.contradictions < 255) ++connection.contradictions;
  }
  if (connection.contradictions > noise_limit) return;

  const auto key = [&](unsigned requester, Leg leg) {
    return pair_key(key_, packet.flow, spin_token, Kind::quic, requester, leg);
  };
  // One whole period, edge to edge of one direction: the client's if it is seen at all.
  if (from_client || !theirs.spin_known) {
    answer(packet, index, Kind::quic, key(sender, Leg::sum), Leg::sum,
           from_client ? sent_by_requester : sent_by_requester | requester_is_server);
    ask(packet, index, Kind::quic, key(sender, Leg::sum), 0);
  }
  if (explained) {
    const Leg leg = from_client ? Leg::client : Leg::server;
    answer(packet, index, Kind::quic, key(1 - sender, leg), leg);
  }
  ask(packet, index, Kind::quic, key(sender, from_client ? Leg::server : Leg::client),
      half_of_span);
}

}  // namespace sojourn
