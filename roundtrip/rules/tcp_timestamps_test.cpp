// Kind tcp-ts: a TSval and its first echo.

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

TcpPacket data(double ms, std::uint32_t sequence, std::uint32_t value, std::uint32_t echo = 0) {
  return {.ms = ms,
          .sequence = sequence,
          .payload = 10,
          .timestamps = true,
          .ts_value = value,
          .ts_echo = echo};
}
TcpPacket echo(double ms, std::uint32_t value, std::uint32_t echoed) {
  return {.ms = ms, .from = From::server, .timestamps = true, .ts_value = value, .ts_echo = echoed};
}

TEST(TcpTimestamps, FirstEchoAnswersTheFirstValue) {
  Conversation talk;
  talk.add(data(0, 101, 5)).add(data(1, 111, 5)).add(data(2, 121, 6));
  talk.add(echo(30, 90, 5)).add(echo(31, 90, 5)).add(echo(34, 91, 6)).add(echo(35, 91, 6));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms", "server 32ms"}, 2}));
}

TEST(TcpTimestamps, BothDirections) {
  Conversation talk;
  talk.add(data(0, 101, 5, 80));
  talk.add({.ms = 30,
            .from = From::server,
            .payload = 7,
            .timestamps = true,
            .ts_value = 90,
            .ts_echo = 5});
  talk.add({.ms = 50, .timestamps = true, .ts_value = 6, .ts_echo = 90});
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms", "client 20ms"}, 2}));
}

TEST(TcpTimestamps, HandshakeCounts) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .timestamps = true, .ts_value = 5});
  talk.add({.ms = 30,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = 101,
            .timestamps = true,
            .ts_value = 90,
            .ts_echo = 5});
  talk.add({.ms = 50,
            .sequence = 101,
            .acknowledgment = 501,
            .timestamps = true,
            .ts_value = 6,
            .ts_echo = 90});
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms", "client 20ms"}, 2}));
}

TEST(TcpTimestamps, EchoWithoutAcknowledgmentMeansNothing) {  // RFC 7323 section 3.2
  Conversation talk;
  talk.add(data(0, 101, 5));
  talk.add({.ms = 10, .from = From::server, .flags = tcp_rst, .timestamps = true, .ts_echo = 5});
  talk.add(echo(30, 90, 5));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpTimestamps, ValuesWrap) {
  Conversation talk;
  talk.add(data(0, 101, 0xffffffff)).add(echo(30, 90, 0xffffffff));
  talk.add(data(40, 111, 0)).add(echo(71, 90, 0));
  talk.add(data(80, 121, 1)).add(echo(112, 90, 1));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms", "server 31ms", "server 32ms"}, 3}));
}

TEST(TcpTimestamps, OlderValueIsALatecomer) {
  Conversation talk;
  talk.add(data(0, 111, 6)).add(data(5, 101, 5));  // overtaken on its way here
  talk.add(echo(30, 90, 5)).add(echo(31, 90, 6));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 31ms"}, 1}));
}

TEST(TcpTimestamps, PureAcknowledgmentAsksNothing) {
  Conversation talk;
  talk.add({.ms = 0, .timestamps = true, .ts_value = 5, .ts_echo = 80}).add(echo(400, 90, 5));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{}, 0}));
}

TEST(TcpTimestamps, ValueFirstSeenOnAPureAcknowledgmentIsNotMeasuredLater) {
  // The echo may answer the acknowledgment, sent before the data: 25 ms would be too short.
  Conversation talk;
  talk.add(data(0, 101, 4)).add(echo(30, 90, 4));
  talk.add({.ms = 40, .timestamps = true, .ts_value = 5, .ts_echo = 90});
  talk.add(data(45, 111, 5, 90));
  talk.add(echo(70, 91, 5));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpTimestamps, ConnectionReusedStartsAnew) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .timestamps = true, .ts_value = 5'000'000});
  talk.add(data(10, 101, 5'000'001)).add(echo(40, 90, 5'000'001));
  // Another host behind the same NAT: its clock is behind.
  talk.add({.ms = 1000, .flags = tcp_syn, .sequence = 900'000, .timestamps = true, .ts_value = 70});
  talk.add(echo(1033, 91, 70));
  EXPECT_EQ(talk.pairs(Kind::tcp_ts), (Pairs{{"server 30ms", "server 33ms"}, 3}));
}

}  // namespace
}  // namespace sojourn
