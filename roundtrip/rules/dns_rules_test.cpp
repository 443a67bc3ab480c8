// Kind dns over TCP: messages in a stream.

#include "roundtrip/rules/dns_rules.h"

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

/// A message with its length in front.
Bytes framed(const Bytes& message) {
  return bytes_of(Be16{static_cast<std::uint16_t>(message.size())}) + message;
}
Bytes query(std::uint16_t id) { return framed(dns(id, false, "example.org")); }
/// A response with an answer section of the given size.
Bytes response(std::uint16_t id, std::size_t answers = 40) {
  return framed(dns(id, true, "example.org") + zeros(answers));
}
Bytes part(const Bytes& bytes, std::size_t from, std::size_t size = 1 << 16) {
  const auto rest = bytes.size() - from;
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from),
          bytes.begin() + static_cast<std::ptrdiff_t>(from + std::min(size, rest))};
}

/// A conversation on port 53 in which each end continues its sequence numbers.
struct Stream {
  Conversation talk{53};
  std::uint32_t next[2] = {101, 501};

  Stream& says(double ms, From from, const Bytes& bytes) {
    std::uint32_t& mine = next[from == From::server];
    repeats(ms, from, bytes, mine);
    mine += static_cast<std::uint32_t>(bytes.size());
    return *this;
  }
  Stream& repeats(double ms, From from, const Bytes& bytes, std::uint32_t sequence) {
    talk.add({.ms = ms,
              .from = from,
              .sequence = sequence,
              .acknowledgment = next[from == From::client],
              .bytes = bytes});
    return *this;
  }
  Pairs pairs() const { return talk.pairs(Kind::dns); }
};

TEST(DnsRules, OneMessageInOneSegment) {
  Stream stream;
  stream.says(0, From::client, query(1)).says(30, From::server, response(1));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST(DnsRules, SeveralMessagesInOneSegment) {
  Stream stream;
  stream.says(0, From::client, query(1) + query(2) + query(3));
  stream.says(30, From::server, response(2)).says(40, From::server, response(3) + response(1));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms", "server 40ms", "server 40ms"}, 3}));
}

TEST(DnsRules, MessageAcrossSegments) {
  Stream stream;
  const Bytes large = response(1, 3000) + response(2);
  stream.says(0, From::client, query(1) + query(2));
  for (std::size_t at = 0, i = 0; at < large.size(); at += 1000, ++i)
    stream.says(30 + static_cast<double>(i), From::server, part(large, at, 1000));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms", "server 33ms"}, 2}));
}

TEST(DnsRules, LengthInASegmentOfItsOwn) {
  for (const std::size_t cut : {1u, 2u}) {
    Stream stream;
    stream.says(0, From::client, part(query(1), 0, cut)).says(1, From::client, part(query(1), cut));
    stream.says(30, From::server, part(response(1), 0, cut))
        .says(31, From::server, part(response(1), cut));
    stream.says(40, From::client, query(2)).says(75, From::server, response(2));
    EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms", "server 35ms"}, 2})) << cut;
  }
}

TEST(DnsRules, SegmentSentAgainMakesItsMessagesAmbiguous) {
  Stream stream;
  stream.says(0, From::client, query(1)).says(5, From::client, query(2));
  stream.repeats(200, From::client, query(1), 101);
  stream.says(230, From::server, response(1)).says(231, From::server, response(2));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 230ms ambiguous", "server 226ms"}, 2}));
}

TEST(DnsRules, SegmentSentAgainAfterExpiryAsksNothing) {
  Stream stream;
  stream.says(0, From::client, query(1));
  stream.repeats(12'000, From::client, query(1), 101);
  stream.says(12'030, From::server, response(1));
  EXPECT_EQ(stream.pairs(), (Pairs{{}, 1}));
}

TEST(DnsRules, SegmentSentAgainAfterItsAnswerIsNoNewExchange) {
  Stream stream;  // the response was lost beyond the point of capture: both ends repeat themselves
  stream.says(0, From::client, query(1)).says(30, From::server, response(1));
  stream.next[1] = 501;
  stream.repeats(200, From::client, query(1), 101);
  stream.repeats(230, From::server, response(1), 501);
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST(DnsRules, MidstOfAMessageSentAgainAsksNothing) {
  Stream stream;
  Bytes large = response(1, 2000);
  // What an out-of-step reader takes for a query: length 13, then a header without the response
  // bit.
  const Bytes decoy = framed(dns(9, false, ""));
  std::ranges::copy(decoy, large.begin() + 1000);
  stream.says(0, From::client, query(1));
  stream.says(30, From::server, part(large, 0, 1000)).says(31, From::server, part(large, 1000));
  stream.repeats(200, From::server, part(large, 1000), 1501);
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST(DnsRules, SegmentsThatChangedPlaces) {
  Stream stream;
  const auto second = static_cast<std::uint32_t>(101 + query(1).size());
  stream.repeats(0, From::client, query(2), second).repeats(1, From::client, query(1), 101);
  stream.says(30, From::server, response(1)).says(31, From::server, response(2));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 29ms", "server 31ms"}, 2}));
}

TEST(DnsRules, GoesOnAfterAGap) {
  Stream stream;
  stream.says(0, From::client, query(1));
  stream.next[0] += 4321;  // not captured
  stream.says(10, From::client, query(2)).says(40, From::server, response(2));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms"}, 2}));
}

TEST(DnsRules, GapInsideAMessageDoesNotMatter) {
  Stream stream;
  const Bytes large = response(1, 3000) + response(2);
  stream.says(0, From::client, query(1) + query(2));
  stream.says(30, From::server, part(large, 0, 1000));
  stream.next[1] += 1000;  // not captured
  stream.says(32, From::server, part(large, 2000));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms", "server 32ms"}, 2}));
}

TEST(DnsRules, SequenceNumbersWrap) {
  Stream stream;
  stream.next[0] = 0xfffffff0;
  stream.says(0, From::client, part(query(1), 0, 2))
      .says(1, From::client, part(query(1), 2) + query(2));
  stream.says(30, From::server, response(1)).says(31, From::server, response(2));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 29ms", "server 30ms"}, 2}));
}

TEST(DnsRules, LeavesOtherPortsAlone) {
  Stream stream{.talk = Conversation{8053}};
  stream.says(0, From::client, query(1)).says(30, From::server, response(1));
  EXPECT_EQ(stream.pairs(), (Pairs{{}, 0}));
}

TEST(DnsRules, HeaderCutOffByTheSnapLength) {
  Stream stream;
  stream.says(0, From::client, query(1));
  stream.talk.last().ip_captured = 39;  // not even all of the TCP header
  stream.says(10, From::client, query(2));
  stream.talk.last().ip_captured = 45;  // three bytes of the message
  stream.says(20, From::client, query(3)).says(50, From::server, response(3));
  EXPECT_EQ(stream.pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST(DnsRules, ManyTinyMessagesFitTheRoomForEvents) {
  Stream stream;
  Bytes bytes;
  for (std::uint16_t i = 0; i < 4000; ++i) bytes = bytes + framed(part(dns(i, false, ""), 0, 12));
  stream.says(0, From::client, bytes);
  EXPECT_EQ(stream.pairs().requests, 4000);
}

}  // namespace
}  // namespace sojourn
