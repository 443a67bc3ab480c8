// Segments larger than a packet: the list of those in flight, and their requests.

#include "roundtrip/rules/super_packets.h"

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

/// "9000", or "9000 repeated", or "" if it answers none.
std::string answered(SuperPackets& sent, std::uint32_t number) {
  const auto oldest = sent.acknowledge(number).oldest;
  return oldest ? std::to_string(oldest->end) + (oldest->is_repeated ? " repeated" : "") : "";
}

SuperPackets four(std::uint32_t size) {
  SuperPackets sent{};
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(sent.add(i * size, i * size + size));
  return sent;
}

TEST(SuperPackets, FirstAcknowledgmentOfAPartAnswersTheWhole) {
  SuperPackets sent{};
  sent.add(1000, 9000);
  sent.add(9000, 12000);
  EXPECT_EQ(answered(sent, 1000), "");  // all before it
  EXPECT_FALSE(sent.is_split);
  EXPECT_EQ(answered(sent, 1001), "9000");
  EXPECT_TRUE(sent.is_split);
  EXPECT_EQ(answered(sent, 5000), "");
  EXPECT_EQ(answered(sent, 9000), "");  // its end, but it has its answer
  EXPECT_EQ(answered(sent, 12000), "12000");
  EXPECT_EQ(sent.count, 0u);
}

TEST(SuperPackets, TellsWhetherTheNumberIsOneOfTheirs) {
  SuperPackets sent = four(2000);
  EXPECT_FALSE(sent.acknowledge(0).is_theirs);
  EXPECT_TRUE(sent.acknowledge(2000).is_theirs);
  EXPECT_TRUE(sent.acknowledge(2001).is_theirs);
  EXPECT_TRUE(sent.acknowledge(4000).is_theirs);
  EXPECT_FALSE(sent.acknowledge(8001).is_theirs);  // of a segment behind the last
}

TEST(SuperPackets, AcknowledgmentOfSeveralAnswersTheOldest) {
  SuperPackets large = four(10'000);  // no jumbo frame is that large
  EXPECT_EQ(answered(large, 25'000), "10000");
  EXPECT_EQ(answered(large, 28'000), "");  // the third was reached, too
  EXPECT_EQ(answered(large, 45'000), "40000");
  SuperPackets split = four(2000);
  EXPECT_EQ(answered(split, 1000), "2000");
  EXPECT_EQ(answered(split, 6000), "4000");
  EXPECT_EQ(split.count, 1u);
}

TEST(SuperPackets, PerhapsJumboFramesAreAnsweredByTheirEnd) {
  SuperPackets sent = four(9216);
  EXPECT_EQ(answered(sent, 2 * 9216), "18432");
  EXPECT_EQ(answered(sent, 4 * 9216 + 1), "");
  EXPECT_EQ(sent.count, 0u);
  SuperPackets larger = four(9217);
  EXPECT_EQ(answered(larger, 2 * 9217), "9217");
}

TEST(SuperPackets, NumbersWrap) {
  SuperPackets sent{};
  sent.add(0xfffff000, 0x1000);
  sent.add(0x1000, 0x3000);
  EXPECT_EQ(answered(sent, 0xfffff800), "4096");
  EXPECT_EQ(answered(sent, 0x2000), "12288");
}

TEST(SuperPackets, RepeatedBytesMarkThoseThatHaveThem) {
  SuperPackets sent = four(2000);
  EXPECT_FALSE(sent.repeat(8000, 9000));
  EXPECT_TRUE(sent.repeat(3999, 4001));  // the second and the third
  EXPECT_EQ(answered(sent, 2000), "2000");
  EXPECT_EQ(answered(sent, 3000), "4000 repeated");
  EXPECT_EQ(answered(sent, 6000), "6000 repeated");
  EXPECT_EQ(answered(sent, 8000), "8000");
}

TEST(SuperPackets, RemembersSoManyAndNoMore) {
  SuperPackets sent{};
  for (std::uint32_t i = 0; i < SuperPackets::most; ++i)
    EXPECT_TRUE(sent.add(i * 2000, i * 2000 + 2000));
  EXPECT_FALSE(sent.add(500'000, 502'000));
  EXPECT_TRUE(sent.repeat(121'000, 122'000));  // the last
  EXPECT_EQ(answered(sent, 119'999), "120000");
  EXPECT_EQ(answered(sent, 122'000), "122000 repeated");
}

/// A super-packet of 6000 bytes from 101 on and one of 4000 behind it.
Conversation large() {
  Conversation talk = established();
  talk.add({.ms = 100, .sequence = 101, .acknowledgment = 501, .payload = 6000});
  talk.add({.ms = 101, .sequence = 6101, .acknowledgment = 501, .payload = 4000});
  return talk;
}
TcpPacket acknowledges(double ms, std::uint32_t number) {
  return {.ms = ms, .from = From::server, .sequence = 501, .acknowledgment = number};
}
const std::vector<std::string> opened{"server 30ms", "client 20ms"};
std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), opened.begin(), opened.end());
  return more;
}

TEST(TcpSuperPacket, IsAnsweredByTheFirstAcknowledgmentInsideIt) {
  Conversation talk = large();
  talk.add(acknowledges(110, 2997)).add(acknowledges(111, 5893)).add(acknowledges(114, 8789));
  talk.add(acknowledges(115, 10101));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 10ms", "server 13ms"}), 4}));
}

TEST(TcpSuperPacket, IsAnsweredByTheAcknowledgmentOfItsEnd) {
  Conversation talk = large();
  talk.add(acknowledges(110, 6101)).add(acknowledges(112, 10101));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 10ms", "server 11ms"}), 4}));
}

TEST(TcpSuperPacket, AcknowledgmentOfSeveralAnswersTheOldestAndTheSegmentItEndsWith) {
  Conversation talk = established();
  for (std::uint32_t i = 0; i < 5; ++i)
    talk.add({.ms = 100.0 + i, .sequence = 101 + i * 20'000, .payload = 20'000});
  talk.add({.ms = 109, .sequence = 100'101, .payload = 10});
  talk.add(acknowledges(120, 100'111));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 20ms", "server 11ms"}), 2 + 6}));
}

TEST(TcpSuperPacket, SentAgainInPartIsAmbiguousAndThePartNoRequest) {
  Conversation talk = large();
  talk.add(acknowledges(110, 2997));
  talk.add({.ms = 300, .sequence = 7549, .acknowledgment = 501, .payload = 1448});
  talk.add(acknowledges(310, 8997)).add(acknowledges(312, 10101));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 10ms", "server 209ms ambiguous"}), 4}));
}

TEST(TcpSuperPacket, RestSentAgainWithNewDataAsksForTheNew) {
  Conversation talk = large();
  talk.add(acknowledges(110, 6101));
  talk.add({.ms = 300, .sequence = 7549, .acknowledgment = 501, .payload = 3000});
  talk.add(acknowledges(310, 10549));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 10ms", "server 10ms"}), 5}));
}

TEST(TcpSuperPacket, SmallSegmentsBesideItAreMatchedByTheirEnd) {
  Conversation talk = large();
  talk.add({.ms = 102, .sequence = 10101, .acknowledgment = 501, .payload = 50});
  talk.add({.ms = 103, .sequence = 10151, .acknowledgment = 501, .payload = 50});
  talk.add(acknowledges(110, 10151)).add(acknowledges(113, 10201));
  talk.add(
      {.ms = 120, .from = From::server, .sequence = 501, .acknowledgment = 10201, .payload = 9});
  talk.add({.ms = 125, .sequence = 10201, .acknowledgment = 510});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 8ms", "server 10ms", "client 5ms"}), 7}));
}

TEST(TcpSuperPacket, AcknowledgmentOfWhatWasNeverSentForgetsNothing) {
  Conversation talk = large();
  talk.add(acknowledges(105, 90'000)).add(acknowledges(110, 2997));
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{with({"server 10ms"}), 4}));
}

/// `count` super-packets at once, then acknowledgments: of a part of the first, then of the second.
Pairing many(std::uint32_t count, bool is_split, Pairs* pairs = nullptr) {
  Conversation talk = established();
  if (is_split) {
    talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 4000});
    talk.add(acknowledges(61, 1549)).add(acknowledges(62, 4101));
  }
  for (std::uint32_t i = 0; i < count; ++i)
    talk.add({.ms = 100, .sequence = 4101 + i * 4000, .acknowledgment = 501, .payload = 4000});
  if (pairs) *pairs = talk.pairs(Kind::tcp);
  Pairing pairing{HashKey::from_seed(7), {}};
  pairing.events(talk.packets());
  return pairing;
}

TEST(TcpSuperPacket, AreCountedAndTooManyLeftOutOnceTheyAreKnownToBeDivided) {
  Pairs pairs;
  const auto whole = many(70, false, &pairs).super_packets();  // jumbo frames: all are requests
  EXPECT_EQ(whole.seen, 70u);
  EXPECT_EQ(whole.left_out, 0u);
  EXPECT_EQ(pairs.requests, 2 + 70);
  const auto divided = many(70, true, &pairs).super_packets();
  EXPECT_EQ(divided.seen, 71u);
  EXPECT_EQ(divided.left_out, 70u - SuperPackets::most);
  EXPECT_EQ(pairs.requests, 2 + 1 + static_cast<int>(SuperPackets::most));
}

/// In fixed memory the new replace the old, even those in use: otherwise a few connections that
/// send and send would keep all others out.
TEST(TcpSuperPacket, OfANewConnectionIsAnsweredHoweverFewAreRemembered) {
  constexpr int connections = 20;
  Conversation talk;
  for (std::uint64_t number = 1; number <= connections; ++number) {
    const auto add = [&](TcpPacket packet) {
      packet.ms += 100.0 * static_cast<double>(number);
      talk.add(packet);
      talk.last().flow = number * 0x9e3779b97f4a7c15;
    };
    add({.ms = 0, .sequence = 101, .acknowledgment = 501, .payload = 6000});
    add(acknowledges(10, 2997));
  }
  // All are active within the ten seconds of `in_use`, and there is room for four of them.
  const Pairs pairs = talk.pairs(Kind::tcp, {.most_connections = 4 * 96});
  EXPECT_EQ(pairs.found, std::vector<std::string>(connections, "server 10ms"));
}

TEST(TcpSuperPacket, BeginsBeyondWhatEthernetCarries) {
  for (const std::uint32_t payload : {1460u, 1461u}) {
    Conversation talk = established();
    talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = payload});
    Pairing pairing{HashKey::from_seed(7), {}};
    pairing.events(talk.packets());
    EXPECT_EQ(pairing.super_packets().seen, payload - 1460);
  }
}

}  // namespace
}  // namespace sojourn
