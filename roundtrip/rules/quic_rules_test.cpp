// Kind quic: the handshake, then the spin bit.

#include "roundtrip/rules/quic_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

Datagram long_header(double ms, From from, bool initial) {
  return {.ms = ms, .from = from, .content = Content::quic_long, .initial = initial};
}
Datagram spin(double ms, From from, bool value) {
  return {.ms = ms, .from = from, .content = Content::quic_short, .spin = value};
}

Conversation handshake() {
  Conversation talk;
  talk.send(long_header(0, From::client, true)).send(long_header(30, From::server, true));
  talk.send(long_header(50, From::client, true));
  return talk;
}
const std::vector<std::string> three_spans{"server 30ms", "client 20ms", "sum 50ms"};

TEST(QuicHandshake, HasThreeSpans) {
  EXPECT_EQ(handshake().pairs(Kind::quic), (Pairs{three_spans, 1}));
}

TEST(QuicHandshake, ClientHelloInSeveralDatagrams) {
  Conversation talk;
  for (const double ms : {0.0, 0.1, 0.2}) talk.send(long_header(ms, From::client, true));
  for (const double ms : {30.0, 30.1}) talk.send(long_header(ms, From::server, true));
  for (const double ms : {50.0, 50.1}) talk.send(long_header(ms, From::client, false));
  EXPECT_EQ(talk.pairs(Kind::quic), (Pairs{three_spans, 1}));
}

TEST(QuicHandshake, RetransmittedInitialIsAmbiguous) {
  Conversation talk;
  talk.send(long_header(0, From::client, true)).send(long_header(1000, From::client, true));
  talk.send(long_header(1030, From::server, true)).send(long_header(1050, From::client, true));
  EXPECT_EQ(talk.pairs(Kind::quic),
            (Pairs{{"server 1030ms ambiguous", "client 20ms", "sum 1050ms ambiguous"}, 1}));
}

TEST(QuicHandshake, OnAnyPort) {
  Conversation talk{4433};
  talk.send(long_header(0, From::client, true)).send(long_header(30, From::server, true));
  talk.send(long_header(50, From::client, true));
  EXPECT_EQ(talk.pairs(Kind::quic), (Pairs{three_spans, 1}));
}

TEST(QuicHandshake, WithoutTheClientsInitialNothingIsKnown) {
  Conversation talk;
  talk.send(long_header(30, From::server, true)).send(long_header(50, From::client, false));
  EXPECT_EQ(talk.pairs(Kind::quic), (Pairs{{}, 0}));
}

/// Edges of both ends in turn: the client's every 50 ms, the server's 30 ms later.
Conversation spinning(Conversation talk, double start, int edges, bool from_client,
                      bool from_server) {
  if (from_client) talk.send(spin(start - 45, From::client, false));
  if (from_server) talk.send(spin(start - 15, From::server, false));
  for (int i = 0; i < edges; ++i) {
    const double ms = start + 50 * i;
    for (const double later : {0.0, 7.0})
      if (from_client) talk.send(spin(ms + later, From::client, i % 2 == 0));
    for (const double later : {30.0, 37.0})
      if (from_server) talk.send(spin(ms + later, From::server, i % 2 == 0));
  }
  return talk;
}

TEST(QuicSpin, BothDirections) {
  EXPECT_EQ(spinning(Conversation{}, 50, 3, true, true).pairs(Kind::quic),
            (Pairs{{"server 30ms", "sum 50ms", "client 20ms", "server 30ms", "sum 50ms",
                    "client 20ms", "server 30ms"},
                   3}));
}

TEST(QuicSpin, OneDirectionGivesWholePeriods) {
  const Pairs expected{{"sum 50ms", "sum 50ms", "sum 50ms"}, 4};
  EXPECT_EQ(spinning(Conversation{}, 50, 4, true, false).pairs(Kind::quic), expected);
  EXPECT_EQ(spinning(Conversation{}, 50, 4, false, true).pairs(Kind::quic), expected);
}

TEST(QuicSpin, OnAnotherPortOnlyAfterALongHeader) {
  EXPECT_EQ(spinning(Conversation{4433}, 50, 3, true, true).pairs(Kind::quic), (Pairs{{}, 0}));
  Conversation talk{4433};
  talk.send(long_header(0, From::client, true));
  EXPECT_GE(spinning(talk, 50, 3, true, true).pairs(Kind::quic).found.size(), 7u);
}

/// Keeps packets of the same time in their order.  (Not stable_sort: clang warns of what libstdc++
/// 12 uses for it.)
void sort_by_time(std::vector<Summary>& packets) {
  for (auto it = packets.begin(); it != packets.end(); ++it)
    std::rotate(std::ranges::upper_bound(packets.begin(), it, it->time, {}, &Summary::time), it,
                it + 1);
}

/// One late packet with the old value, 2 ms after the edge number `edge` of `from`.
Pairs with_a_latecomer(Conversation talk, int edge, From from, bool other_direction = true) {
  const bool client = from == From::client;
  talk = spinning(std::move(talk), 100, 6, client || other_direction, !client || other_direction);
  const double ms = 100 + 50 * edge + (client ? 2 : 32);
  talk.send(spin(ms, from, edge % 2 != 0));
  sort_by_time(talk.packets());
  return talk.pairs(Kind::quic);
}

TEST(QuicSpin, ReorderingAroundAnEdgeIsNoEdge) {
  for (const From from : {From::client, From::server}) {
    for (int edge = 2; edge < 6; ++edge)
      EXPECT_EQ(with_a_latecomer(Conversation{}, edge, from),
                spinning(Conversation{}, 100, 6, true, true).pairs(Kind::quic))
          << edge;
    for (int edge = 0; edge < 6; ++edge)  // with the handshake's round trip to judge by
      EXPECT_EQ(with_a_latecomer(handshake(), edge, from),
                spinning(handshake(), 100, 6, true, true).pairs(Kind::quic))
          << edge;
  }
  EXPECT_EQ(with_a_latecomer(Conversation{}, 3, From::client, false),
            spinning(Conversation{}, 100, 6, true, false).pairs(Kind::quic));
}

TEST(QuicSpin, ManyLatecomersAroundAnEdgeAreNoEdges) {
  Conversation talk = spinning(Conversation{}, 100, 6, true, true);
  for (int i = 0; i < 40; ++i) talk.send(spin(250.1 + 0.1 * i, From::client, i % 2 != 0));
  sort_by_time(talk.packets());
  EXPECT_EQ(talk.pairs(Kind::quic), spinning(Conversation{}, 100, 6, true, true).pairs(Kind::quic));
}

TEST(QuicSpin, EdgeThatWasNotCapturedStretchesNoOtherLeg) {
  Conversation talk = spinning(Conversation{}, 100, 8, true, true);
  std::erase_if(talk.packets(), [](const Summary& packet) {  // the server's third value
    return packet.source_port == 443 && packet.time > at_ms(225) && packet.time < at_ms(245);
  });
  const std::vector<std::string> found = talk.pairs(Kind::quic).found;
  EXPECT_GE(found.size(), 14u);
  for (const std::string& line : found)
    EXPECT_TRUE(line == "server 30ms" || line == "client 20ms" || line == "sum 50ms") << line;
}

TEST(QuicSpin, FasterPathIsBelievedInTheEnd) {
  Conversation talk;  // periods of 800 ms, then of 8 ms
  for (int i = 0; i < 4; ++i) talk.send(spin(800.0 * i, From::client, i % 2 == 0));
  for (int i = 0; i < 100; ++i) talk.send(spin(2400 + 8.0 * (i + 1), From::client, i % 2 == 0));
  const Pairs pairs = talk.pairs(Kind::quic);
  EXPECT_EQ(pairs.found.back(), "sum 8ms");
  EXPECT_GE(std::ranges::count(pairs.found, "sum 8ms"), 50);
}

TEST(QuicSpin, RandomValuesAreNoise) {  // RFC 9000 section 17.4
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random{seed};
    Conversation talk;
    for (int i = 0; i < 2000; ++i)
      talk.send(spin(5.0 * i, i % 2 == 0 ? From::client : From::server, random() % 2 == 0));
    // Nothing can be said about the first few edges.
    EXPECT_LT(talk.pairs(Kind::quic).found.size(), 60u) << "seed " << seed;
  }
}

TEST(QuicSpin, ConstantValueGivesNothing) {
  Conversation talk;
  for (int i = 0; i < 20; ++i)
    talk.send(spin(5.0 * i, i % 2 == 0 ? From::client : From::server, true));
  EXPECT_EQ(talk.pairs(Kind::quic), (Pairs{{}, 0}));
}

}  // namespace
}  // namespace sojourn
