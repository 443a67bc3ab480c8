#include "dataplane/kernel/segments.h"

#include <gtest/gtest.h>

#include <array>

namespace sojourn {
namespace {

/// An Ethernet frame with so many VLAN tags, and IP header and options of so many words.
std::array<__u8, DP_HEAD> head_of(std::size_t tags, bool is_ipv6, __u8 protocol,
                                  unsigned ip_words = 5, unsigned tcp_words = 5) {
  std::array<__u8, DP_HEAD> head{};
  std::size_t at = 12;
  for (; tags > 0; --tags, at += 4) {
    head[at] = 0x81;
    head[at + 1] = 0x00;
  }
  head[at] = is_ipv6 ? 0x86 : 0x08;
  head[at + 1] = is_ipv6 ? 0xdd : 0x00;
  at += 2;
  head[at] = static_cast<__u8>(is_ipv6 ? 0x60 : 0x40 | ip_words);
  head[at + (is_ipv6 ? 6 : 9)] = protocol;
  at += is_ipv6 ? 40 : ip_words * 4;
  if (protocol == 6) head[at + 12] = static_cast<__u8>(tcp_words << 4);
  return head;
}

TEST(Segments, HeadersAreNotPayload) {
  EXPECT_EQ(dp_header_bytes(head_of(0, false, 6).data()), 14u + 20 + 20);
  EXPECT_EQ(dp_header_bytes(head_of(0, false, 17).data()), 14u + 20 + 8);
  EXPECT_EQ(dp_header_bytes(head_of(1, false, 6, 5, 8).data()), 18u + 20 + 32);
  EXPECT_EQ(dp_header_bytes(head_of(2, false, 6, 15, 15).data()), 22u + 60 + 60);
  EXPECT_EQ(dp_header_bytes(head_of(0, true, 6, 0, 8).data()), 14u + 40 + 32);
  EXPECT_EQ(dp_header_bytes(head_of(0, true, 17).data()), 14u + 40 + 8);
}

// A guest hands over 64 KiB at once and says how large the parts are, not how many.
TEST(Segments, AGuestsSuperPacketIsSeveralPackets) {
  EXPECT_EQ(dp_parts(66 + 10 * 1448, 66, 1448), 10u);
  EXPECT_EQ(dp_parts(66 + 10 * 1448 + 1, 66, 1448), 11u);
  EXPECT_EQ(dp_parts(66 + 1448, 66, 1448), 1u);
  EXPECT_EQ(dp_parts(66 + 1449, 66, 1448), 2u);
  EXPECT_EQ(dp_parts(66, 66, 1448), 1u);
  EXPECT_EQ(dp_parts(40, 66, 1448), 1u);
  EXPECT_EQ(dp_parts(1500, 66, 0), 1u);
}

}  // namespace
}  // namespace sojourn
