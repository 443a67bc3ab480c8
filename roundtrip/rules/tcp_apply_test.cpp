// The bits that responses copy from their connection.

#include "roundtrip/rules/tcp_apply.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>

namespace sojourn {
namespace {

/// (clang 19 cannot determine the position of bit-fields at compile time.)
TEST(TcpApply, FlagsOfAnAnswerLieWhereTheConnectionHasThem) {
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, true, false, false, false, false, 0}),
            requester_is_server);
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, false, true, false, false, false, 0}),
            leg_is_guessed);
}

/// One word against the members that it stands for.
TEST(TcpApply, PlainPacketsAreThoseThatTheirMembersSay) {
  std::mt19937 random{7};
  int plain = 0;
  for (int round = 0; round < 200'000; ++round) {
    Summary packet;
    packet.content = random() % 4 == 0 ? Content::quic_short : Content::tcp;
    // Any flags, but acknowledgments more often than chance has them.
    packet.tcp_flags = static_cast<std::uint8_t>(random() % 2 ? random() % 256 : 0xe8 | tcp_ack);
    packet.window = random() % 4 == 0 ? 0 : static_cast<std::uint16_t>(random());
    packet.vlan = static_cast<std::uint16_t>(random());
    packet.source_is_low = random() % 2 == 0;
    packet.has_timestamps = random() % 2 == 0;
    packet.is_ipv6 = random() % 2 == 0;
    packet.first_fragment = random() % 4 == 0;
    packet.quic_spin = random() % 2 == 0;
    packet.quic_initial = random() % 2 == 0;
    packet.origin = static_cast<std::uint8_t>(random());
    packet.payload_offset = 40;
    packet.payload = random() % 4 == 0 ? longest_packet - 40 + random() % 2 : random() % 1460;
    const bool expected = packet.content == Content::tcp &&
                          (packet.tcp_flags & (tcp_syn | tcp_fin | tcp_rst | tcp_ack)) == tcp_ack &&
                          packet.window != 0 && !packet.first_fragment &&
                          packet.payload_offset + packet.payload <= longest_packet;
    ASSERT_EQ(is_plain(packet), expected) << "round " << round;
    plain += expected;
  }
  EXPECT_GT(plain, 10'000);
}

/// Signs of differences against what they stand for.
TEST(TcpApply, NumbersWrap) {
  std::mt19937 random{9};
  for (int round = 0; round < 100'000; ++round) {
    const auto number = static_cast<std::uint32_t>(random());
    const auto any = static_cast<std::uint32_t>(random());
    const std::uint32_t ahead =
        round % 2 == 0 ? any : (any % 2 == 0 ? 1u << 31 : 1u << 30) + any % 3;
    ASSERT_EQ(is_newer(number + ahead, number), ahead != 0 && ahead <= 1u << 31) << ahead;
    ASSERT_EQ(is_set(acknowledged_before(number, number + ahead)), ahead < 1u << 30) << ahead;
  }
  EXPECT_FALSE(is_newer(5, 5));
  EXPECT_TRUE(is_set(acknowledged_before(5, 5)));
  EXPECT_FALSE(is_set(acknowledged_before(5, 4)));
  EXPECT_FALSE(is_set(acknowledged_before(5, 5 + acknowledged_span)));
  EXPECT_TRUE(is_set(acknowledged_before(5, 4 + acknowledged_span)));
}

TEST(TcpApply, TheLastWordsOfAnswersHoldTheirMembers) {
  for (std::uint8_t flags = 0; flags < last_words_of_answers.size(); ++flags) {
    PairEvent event{};
    event.is_request = true;
    event.set_last(last_words_of_answers[flags]);
    EXPECT_EQ(event.flags, flags);
    EXPECT_EQ(event.leg, (flags & requester_is_server) != 0 ? Leg::client : Leg::server);
    EXPECT_FALSE(event.is_request);
  }
}

TEST(TcpApply, TheLastWordOfAnEventHoldsItsMembers) {
  PairEvent event{};
  event.set_last(PairEvent::last_word(Kind::tcp_ts, Leg::client, true, 0xa5));
  EXPECT_EQ(event.kind, Kind::tcp_ts);
  EXPECT_EQ(event.leg, Leg::client);
  EXPECT_TRUE(event.is_request);
  EXPECT_EQ(event.flags, 0xa5);
  event.set_last(PairEvent::last_word(Kind::tcp, Leg::server, false, 0));
  EXPECT_FALSE(event.is_request);
  EXPECT_EQ(event.summary, 0u);
}

}  // namespace
}  // namespace sojourn
