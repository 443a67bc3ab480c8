// Kinds dns (over UDP), ntp and icmp: one request packet, one response packet.

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

struct ExchangeCase {
  Kind kind;
  Content request, response;
  bool ipv6;
};

class Exchange : public testing::TestWithParam<ExchangeCase> {
 public:
  Exchange& asks(double ms, std::uint64_t token, From from = From::client) {
    return put({.ms = ms, .from = from, .content = GetParam().request, .token = token});
  }
  Exchange& answers(double ms, std::uint64_t token, From from = From::server) {
    return put({.ms = ms, .from = from, .content = GetParam().response, .token = token});
  }
  Pairs pairs() const { return talk_.pairs(GetParam().kind); }

  Conversation talk_{53};

 private:
  Exchange& put(Datagram datagram) {
    datagram.ipv6 = GetParam().ipv6;
    talk_.send(datagram);
    return *this;
  }
};

TEST_P(Exchange, TokenTellsWhatBelongsTogether) {
  const std::uint64_t large = 0xfedcba9876543210;  // all 64 bits count
  asks(0, large).asks(1, large ^ 1u << 31).asks(2, large ^ std::uint64_t{1} << 63);
  answers(30, large ^ std::uint64_t{1} << 63).answers(31, large).answers(32, large ^ 1u << 31);
  EXPECT_EQ(pairs(), (Pairs{{"server 28ms", "server 31ms", "server 31ms"}, 3}));
}

TEST_P(Exchange, OnlyTheOtherEndAnswers) {
  asks(0, 5).answers(10, 5, From::client).answers(30, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST_P(Exchange, BothEndsMayAskTheSame) {
  asks(0, 5).asks(1, 5, From::server).answers(21, 5, From::client).answers(30, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 20ms", "server 30ms"}, 2}));
}

TEST_P(Exchange, RepeatedQuestionIsAmbiguous) {
  asks(0, 5).asks(1000, 5).answers(1030, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 1030ms ambiguous"}, 1}));
}

// Karn's rule still holds after --expire.
TEST_P(Exchange, RepeatedAfterExpiryGivesNoSample) {
  asks(0, 5).asks(11'000, 5).asks(25'000, 5).answers(25'030, 5);
  EXPECT_EQ(pairs(), (Pairs{{}, 1}));
}

TEST_P(Exchange, AskedAgainAfterALateAnswerIsAFirst) {
  asks(0, 5).answers(11'000, 5).asks(12'000, 5).answers(12'030, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms"}, 2}));
}

TEST_P(Exchange, AskedAgainAfterTwoMinutesIsAFirst) {
  asks(0, 5).asks(122'000, 5).answers(122'030, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms"}, 2}));
}

TEST_P(Exchange, RepeatedAnswerCountsOnce) {
  asks(0, 5).answers(30, 5).answers(31, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms"}, 1}));
}

TEST_P(Exchange, SameTokenAfterTheAnswerIsANewExchange) {
  asks(0, 5).answers(30, 5).asks(1000, 5).answers(1040, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms", "server 40ms"}, 2}));
}

TEST_P(Exchange, UnansweredQuestionExpires) {
  asks(0, 5).answers(10'001, 5).asks(20'000, 5).answers(20'030, 5);
  EXPECT_EQ(pairs(), (Pairs{{"server 30ms"}, 2}));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Exchange,
    testing::Values(ExchangeCase{Kind::dns, Content::dns_query, Content::dns_response, false},
                    ExchangeCase{Kind::ntp, Content::ntp_request, Content::ntp_response, false},
                    ExchangeCase{Kind::icmp, Content::icmp_request, Content::icmp_reply, false},
                    ExchangeCase{Kind::icmp, Content::icmp_request, Content::icmp_reply, true}),
    [](const auto& instance) {
      return fmt::format("{}{}", name_of(instance.param.kind), instance.param.ipv6 ? "6" : "");
    });

TEST(ExchangeKinds, DoNotMix) {
  Conversation talk{53};
  talk.send({.ms = 0, .content = Content::dns_query, .token = 5});
  talk.send({.ms = 10, .from = From::server, .content = Content::ntp_response, .token = 5});
  talk.send({.ms = 20, .from = From::server, .content = Content::icmp_reply, .token = 5});
  EXPECT_EQ(talk.pairs(Kind::dns), (Pairs{{}, 1}));
  EXPECT_EQ(talk.pairs(Kind::ntp), (Pairs{{}, 0}));
}

TEST(ExchangeKinds, HostMayPingItself) {  // on the loopback interface
  Conversation talk{40000};
  talk.send({.ms = 0, .content = Content::icmp_request, .token = 5});
  talk.send({.ms = 1, .content = Content::icmp_reply, .token = 5});
  std::vector<std::byte> header(20);  // 0.0.0.0 to 0.0.0.0: all that matters is that they are equal
  for (Summary& packet : talk.packets()) {
    packet.ip = header.data();
    packet.source_port = packet.destination_port = 0;
    packet.source_is_low = true;  // equal ends count as low in both directions
  }
  EXPECT_EQ(talk.pairs(Kind::icmp), (Pairs{{"server 1ms"}, 1}));
}

}  // namespace
}  // namespace sojourn
