// The header formats alone, without a parser.

#include <gtest/gtest.h>

#include <random>

#include "wire/flow_hash.h"
#include "wire/headers/cursor.h"
#include "wire/headers/quic.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

TEST(Endian, ReadsWhatItWasAssigned) {
  Be32 value = 0x01020304;
  EXPECT_EQ(value, 0x01020304u);
  EXPECT_EQ(bytes_of(value), bytes_of({1, 2, 3, 4}));
  value = 5;
  EXPECT_EQ(bytes_of(value), bytes_of({0, 0, 0, 5}));
}

TEST(Cursor, ReadsToTheEndAndNotBeyond) {
  const Bytes bytes = bytes_of({1, 2, 3});
  Cursor cursor{bytes, 10};
  EXPECT_FALSE(cursor.take<Be32>());
  ASSERT_TRUE(cursor.take<Be16>());
  EXPECT_EQ(cursor.length(), 8u);
  EXPECT_FALSE(cursor.peek<Be16>());
  EXPECT_FALSE(cursor.peek<std::uint8_t>(1));
  EXPECT_FALSE(cursor.peek<std::uint8_t>(std::size_t(-1)));
  EXPECT_FALSE(cursor.skip(2));
  EXPECT_TRUE(cursor.skip(1));
  EXPECT_EQ(cursor.length(), 7u);
}

TEST(Cursor, AnInnerLengthCutsPadding) {
  const Bytes bytes = zeros(10);
  Cursor cursor{bytes};
  cursor.set_length(4);
  EXPECT_EQ(cursor.captured().size(), 4u);
  cursor.set_length(400);
  EXPECT_EQ(cursor.captured().size(), 4u);
  EXPECT_EQ(cursor.length(), 400u);
}

TEST(TcpOptions, FindsTimestampsAnywhere) {
  const auto found =
      find_tcp_timestamps(bytes_of({2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 1u);
  EXPECT_EQ(found->echo, 2u);
  EXPECT_FALSE(find_tcp_timestamps(bytes_of({0, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})))
      << "after the end";
  EXPECT_FALSE(find_tcp_timestamps(bytes_of({3, 0, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}))) << "length 0";
  EXPECT_FALSE(find_tcp_timestamps(bytes_of({8, 10, 0, 0, 0, 1, 0, 0, 0}))) << "cut";
  EXPECT_FALSE(find_tcp_timestamps(bytes_of({1, 8}))) << "cut before its length";
  EXPECT_FALSE(find_tcp_timestamps({}));
}

TEST(Quic, TellsTheFormsApart) {
  const auto glance = [](std::initializer_list<int> start, std::size_t payload = 1200) {
    return glance_at_quic(bytes_of(start) + zeros(20), payload);
  };
  EXPECT_TRUE(glance({0xc0, 0, 0, 0, 1, 8})->initial);
  EXPECT_FALSE(glance({0xe0, 0, 0, 0, 1, 8})->initial) << "handshake";
  EXPECT_TRUE(glance({0xd0, 0x6b, 0x33, 0x43, 0xcf, 8})->initial) << "version 2";
  EXPECT_FALSE(glance({0xc0, 0x6b, 0x33, 0x43, 0xcf, 8})->initial) << "version 2, retry";
  EXPECT_TRUE(glance({0xc0, 0xff, 0, 0, 29, 8})->long_header);
  EXPECT_TRUE(glance({0xc0, 0xff, 0, 0, 18, 0x55})->long_header) << "draft 18, packed lengths";
  EXPECT_TRUE(glance({0xc0, 0xba, 0xba, 0xba, 0xba, 8})->long_header) << "reserved version";
  EXPECT_FALSE(glance({0xc0, 0, 0, 0, 0, 8})) << "version negotiation";
  EXPECT_FALSE(glance({0xc0, 0, 0, 0, 1, 21})) << "connection identifier too long";
  EXPECT_FALSE(glance({0x80, 0x12, 0x34, 0x56, 0x78, 8})) << "RTP";
  EXPECT_TRUE(glance({0x60})->spin);
  EXPECT_FALSE(glance({0x40})->spin);
  EXPECT_FALSE(glance({0x60})->long_header);
  EXPECT_FALSE(glance({0x60}, 20)) << "too short to be protected";
  EXPECT_TRUE(glance({0x20})->spin) << "the fixed bit may be greased";
  EXPECT_FALSE(glance_at_quic(bytes_of({0xc0, 0, 0, 0, 1}), 1200)) << "cut";
  EXPECT_FALSE(glance_at_quic({}, 1200));
}

TEST(FlowHash, BothDirectionsAlikeAndNothingElse) {
  std::mt19937 random{5};
  const HashKey key = HashKey::from_seed(1), other = HashKey::from_seed(2);
  for (int round = 0; round < 1000; ++round) {
    const auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random());
    const auto p = static_cast<std::uint16_t>(random()), q = static_cast<std::uint16_t>(random());
    const auto there = hash_ipv4(key, a, b, p, q, IpProtocol::tcp);
    const auto back = hash_ipv4(key, b, a, q, p, IpProtocol::tcp);
    ASSERT_EQ(there.flow, back.flow);
    ASSERT_NE(there.source_is_low, back.source_is_low);
    ASSERT_NE(there.flow, hash_ipv4(key, a, b, p, q, IpProtocol::udp).flow);
    ASSERT_NE(there.flow, hash_ipv4(key, b, a, p, q, IpProtocol::tcp).flow)
        << "ports stay with their address";
    ASSERT_NE(there.flow, hash_ipv4(other, a, b, p, q, IpProtocol::tcp).flow);
  }
}

TEST(FlowHash, Ipv6LooksAtEveryByteOfBothAddresses) {
  const HashKey key = HashKey::from_seed(1);
  Bytes addresses(32, std::byte{7});
  addresses[31] = std::byte{8};
  const auto base = hash_ipv6(key, addresses.data(), 1, 2, IpProtocol::tcp);
  Bytes swapped(addresses.begin() + 16, addresses.end());
  swapped.insert(swapped.end(), addresses.begin(), addresses.begin() + 16);
  const auto back = hash_ipv6(key, swapped.data(), 2, 1, IpProtocol::tcp);
  EXPECT_EQ(base.flow, back.flow);
  EXPECT_NE(base.source_is_low, back.source_is_low);
  for (std::size_t i = 0; i < 32; ++i) {
    Bytes changed = addresses;
    changed[i] ^= std::byte{1};
    EXPECT_NE(base.flow, hash_ipv6(key, changed.data(), 1, 2, IpProtocol::tcp).flow) << i;
  }
}

TEST(FlowHash, EqualEndpointsAreLowBothWays) {
  const HashKey key = HashKey::from_seed(1);
  EXPECT_TRUE(hash_ipv4(key, 5, 5, 9, 9, IpProtocol::tcp).source_is_low);
}

}  // namespace
}  // namespace sojourn
