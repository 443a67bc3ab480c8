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
