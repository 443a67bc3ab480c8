#include "wire/headers/reference_packet.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn {
namespace {

TEST(ReferencePacket, ComesBackAsItWasWritten) {
  for (const ReferencePacket packet :
       {ReferencePacket{},
        ReferencePacket{7, 4'000'000'000u, timestamp_from_ns(1'700'000'000'123'456'789)},
        ReferencePacket{0xffff, 0xffff'ffff, timestamp_from_ns(-5)}}) {
    const auto bytes = encode(packet);
    EXPECT_EQ(decode_reference_packet(bytes), packet);
  }
}

/// Other points depend on this format: it may change only with the version.
TEST(ReferencePacket, HasTheseBytes) {
  const auto bytes = encode({0x0102, 0x03040506, timestamp_from_ns(0x0708090a0b0c0d0e)});
  const std::vector<int> expected = {'S', 'J', 'R', 'F', 1, 0,  1,  2,  3,  4,
                                     5,   6,   7,   8,   9, 10, 11, 12, 13, 14};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(std::to_integer<int>(bytes[i]), expected[i]) << i;
}

TEST(ReferencePacket, OtherPayloadsAreNone) {
  auto bytes = encode({1, 2, timestamp_from_ns(3)});
  EXPECT_FALSE(decode_reference_packet(std::span{bytes}.first(19)));
  EXPECT_FALSE(decode_reference_packet({}));
  std::vector<std::byte> padded(bytes.begin(), bytes.end());
  padded.resize(60);
  EXPECT_TRUE(decode_reference_packet(padded));
  bytes[4] = std::byte{2};  // a later version
  EXPECT_FALSE(decode_reference_packet(bytes));
  bytes[4] = std::byte{1};
  bytes[0] = std::byte{'T'};
  EXPECT_FALSE(decode_reference_packet(bytes));
}

}  // namespace
}  // namespace sojourn
