// Kind handshake: SYN to SYN-ACK, SYN-ACK to ACK, and the whole.

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

const TcpPacket syn{.ms = 0, .flags = tcp_syn, .sequence = 100};

TcpPacket syn_ack(double ms) {
  return {.ms = ms,
          .from = From::server,
          .flags = tcp_syn | tcp_ack,
          .sequence = 500,
          .acknowledgment = 101};
}
TcpPacket final_ack(double ms) { return {.ms = ms, .sequence = 101, .acknowledgment = 501}; }

const std::vector<std::string> three_spans{"server 30ms", "client 20ms", "sum 50ms"};

TEST(TcpHandshake, HasThreeSpans) {
  for (const bool client_is_low : {true, false})
    EXPECT_EQ(established(443, client_is_low).pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

TEST(TcpHandshake, InitialNumbersWrap) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 0xffffffff});
  talk.add({.ms = 30, .from = From::server, .flags = tcp_syn | tcp_ack, .sequence = 0xffffffff});
  talk.add({.ms = 50});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

TEST(TcpHandshake, EndsWithTheFirstDataIfThatIsTheFirstAcknowledgment) {
  Conversation talk;
  talk.add(syn).add(syn_ack(30));
  talk.add({.ms = 50, .sequence = 101, .acknowledgment = 501, .payload = 10});
  talk.add({.ms = 60, .sequence = 111, .acknowledgment = 501, .payload = 10});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

TEST(TcpHandshake, RepeatedSynIsAmbiguousButTheClientsLegIsNot) {
  Conversation talk;
  talk.add(syn)
      .add({.ms = 1000, .flags = tcp_syn, .sequence = 100})
      .add(syn_ack(1030))
      .add(final_ack(1050));
  EXPECT_EQ(talk.pairs(Kind::handshake),
            (Pairs{{"server 1030ms ambiguous", "client 20ms", "sum 1050ms ambiguous"}, 1}));
}

TEST(TcpHandshake, RepeatedSynAckLeavesTheServersLeg) {
  Conversation talk;
  talk.add(syn).add(syn_ack(30)).add(syn_ack(1030)).add(final_ack(1050));
  EXPECT_EQ(talk.pairs(Kind::handshake),
            (Pairs{{"server 30ms", "client 1020ms ambiguous", "sum 1050ms ambiguous"}, 1}));
}

TEST(TcpHandshake, SynAckRepeatedAfterTheEndChangesNothing) {
  Conversation talk;
  talk.add(syn).add(syn_ack(30)).add(final_ack(50)).add(syn_ack(1030)).add(final_ack(1050));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

TEST(TcpHandshake, WithoutTheSynOnlyTheClientsLegIsKnown) {
  Conversation talk;
  talk.add(syn_ack(30)).add(final_ack(50));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"client 20ms"}, 0}));
}

TEST(TcpHandshake, WithoutTheSynARepeatedSynAckOpensNoWholeSpan) {
  Conversation talk;
  talk.add(syn_ack(30)).add(syn_ack(1030)).add(final_ack(1050));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"client 1020ms ambiguous"}, 0}));
  Conversation late;  // the client has spoken in between
  late.add(syn_ack(30)).add(final_ack(50));
  late.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 5})
      .add(syn_ack(1030))
      .add(final_ack(1050));
  EXPECT_EQ(late.pairs(Kind::handshake), (Pairs{{"client 20ms"}, 0}));
}

TEST(TcpHandshake, WithoutTheSynAckTheWholeIsKnown) {  // one direction was captured
  Conversation talk;
  talk.add(syn).add(final_ack(50)).add(final_ack(60));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"sum 50ms"}, 1}));
}

TEST(TcpHandshake, SynRepeatedAfterExpiryGivesNoServersLegAndNoWhole) {
  Conversation talk;
  talk.add(syn).add({.ms = 12'000, .flags = tcp_syn, .sequence = 100});
  talk.add(syn_ack(12'030)).add(final_ack(12'050));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"client 20ms"}, 1}));
}

TEST(TcpHandshake, SynWithDataRepeatedAfterExpiryGivesNoServersLegAndNoWhole) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .payload = 20});
  talk.add({.ms = 12'000, .flags = tcp_syn, .sequence = 100, .payload = 20});
  talk.add({.ms = 12'030,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = 121});
  talk.add({.ms = 12'050, .sequence = 121, .acknowledgment = 501});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"client 20ms"}, 1}));
}

TEST(TcpHandshake, SynAckRepeatedAfterExpiryOpensNoWholeSpan) {
  Conversation talk;
  talk.add(syn).add(syn_ack(30)).add(syn_ack(12'000)).add(final_ack(15'305));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpHandshake, AnotherSynAckIsNoCopyOfTheFirst) {  // SYN cookies change with time
  Conversation talk;
  talk.add(syn).add(syn_ack(30));
  TcpPacket other = syn_ack(1030);
  other.sequence = 7000;
  talk.add(other).add({.ms = 1050, .sequence = 101, .acknowledgment = 7001});
  EXPECT_EQ(talk.pairs(Kind::handshake),
            (Pairs{{"server 30ms", "client 20ms", "sum 1050ms ambiguous"}, 1}));
}

TEST(TcpHandshake, ConnectionReused) {
  Conversation talk = established();
  talk.add({.ms = 1000, .flags = tcp_syn, .sequence = 900'000});
  talk.add({.ms = 1041,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 700'000,
            .acknowledgment = 900'001});
  talk.add({.ms = 1062, .sequence = 900'001, .acknowledgment = 700'001});
  EXPECT_EQ(
      talk.pairs(Kind::handshake),
      (Pairs{{"server 30ms", "client 20ms", "sum 50ms", "server 41ms", "client 21ms", "sum 62ms"},
             2}));
}

TEST(TcpHandshake, ReusedWithTheRolesExchanged) {
  Conversation talk = established();
  talk.add({.ms = 1000, .from = From::server, .flags = tcp_syn, .sequence = 900'000});
  talk.add(
      {.ms = 1041, .flags = tcp_syn | tcp_ack, .sequence = 700'000, .acknowledgment = 900'001});
  talk.add({.ms = 1062, .from = From::server, .sequence = 900'001, .acknowledgment = 700'001});
  EXPECT_EQ(
      talk.pairs(Kind::handshake),
      (Pairs{{"server 30ms", "client 20ms", "sum 50ms", "server 41ms", "client 21ms", "sum 62ms"},
             2}));
}

TEST(TcpHandshake, RefusedConnectionHasNone) {
  Conversation talk;
  talk.add(syn).add(
      {.ms = 30, .from = From::server, .flags = tcp_rst | tcp_ack, .acknowledgment = 101});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{}, 1}));
}

// RFC 7413: the server accepts the SYN's data and acknowledges it, or ignores it.
TEST(TcpHandshake, SynWithDataThatTheServerTakes) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .payload = 20});
  talk.add({.ms = 30,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = 121});
  talk.add({.ms = 50, .sequence = 121, .acknowledgment = 501});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

TEST(TcpHandshake, SynWithDataThatTheServerLeaves) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .payload = 20}).add(syn_ack(30));
  talk.add({.ms = 50, .sequence = 101, .acknowledgment = 501, .payload = 20});
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{three_spans, 1}));
}

}  // namespace
}  // namespace sojourn
