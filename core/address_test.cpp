#include "core/address.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>

#include "core/packet.h"

namespace sojourn {
namespace {

IpAddress address(const char* text) { return IpAddress::parse(text).value(); }

TEST(IpAddress, IsReadAndWrittenInItsShortForm) {
  for (const char* const text : {"192.0.2.1", "0.0.0.0", "255.255.255.255", "::", "::1",
                                 "2001:db8::1:0:0:1", "ff02::fb", "1:2:3:4:5:6:7:8"})
    EXPECT_EQ(address(text).to_string(), text);
  EXPECT_EQ(address("2001:DB8:0:0:0:0:0:1").to_string(), "2001:db8::1") << "RFC 5952";
  for (const char* const wrong : {"", "192.0.2", "192.0.2.256", "192.0.2.1.1", "2001:db8",
                                  ":::", "192.0.2.1/24", " 192.0.2.1", "1:2:3:4:5:6:7:8:9"})
    EXPECT_FALSE(IpAddress::parse(wrong)) << wrong;
}

TEST(IpAddress, HasItsBytesInNetworkOrder) {
  constexpr std::array four{std::byte{192}, std::byte{0}, std::byte{2}, std::byte{1}};
  EXPECT_EQ(IpAddress::v4(four), address("192.0.2.1"));
  EXPECT_EQ(IpAddress::v4(four).version(), IpVersion::v4);
  EXPECT_EQ(IpAddress::v4(four).bit_length(), 32u);
  EXPECT_EQ(IpAddress::v4(four).bytes().size(), 4u);
  std::array<std::byte, 16> sixteen{};
  sixteen[0] = std::byte{0x20};
  sixteen[15] = std::byte{9};
  EXPECT_EQ(IpAddress::v6(sixteen), address("2000::9"));
  EXPECT_EQ(IpAddress::v6(sixteen).bytes().size(), 16u);
  EXPECT_NE(address("::"), address("0.0.0.0")) << "equal bytes, other version";
}

TEST(IpAddress, MaskedKeepsTheFirstBitsAndNoOther) {
  std::mt19937_64 random{1};
  for (const char* const text : {"255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}) {
    IpAddress whole = address(text);
    for (std::size_t i = 0; i < whole.bit_length(); ++i) whole.set_bit(i, random() % 4 != 0);
    for (std::size_t length = 0; length <= whole.bit_length(); ++length) {
      const IpAddress masked = whole.masked(length);
      EXPECT_EQ(masked.version(), whole.version());
      for (std::size_t i = 0; i < whole.bit_length(); ++i)
        ASSERT_EQ(masked.bit(i), i < length && whole.bit(i)) << length << " " << i;
    }
  }
}

TEST(IpAddress, BitsCountFromTheFront) {
  IpAddress one = address("128.0.0.1");
  EXPECT_TRUE(one.bit(0) && one.bit(31));
  EXPECT_FALSE(one.bit(1) || one.bit(7) || one.bit(24));
  one.set_bit(0, false);
  one.set_bit(8, true);
  EXPECT_EQ(one, address("0.128.0.1"));
}

TEST(AddressAndPort, BracketsAreForIpv6WithAPort) {
  const IpAddress four = *IpAddress::parse("192.0.2.1"), six = *IpAddress::parse("2001:db8::1");
  EXPECT_EQ(address_and_port(four, 53), "192.0.2.1:53");
  EXPECT_EQ(address_and_port(six, 65'535), "[2001:db8::1]:65535");
  EXPECT_EQ(address_and_port(four, 0), "192.0.2.1");
  EXPECT_EQ(address_and_port(six, 0), "2001:db8::1");
}

TEST(Prefix, ContainsWhatBeginsLikeIt) {
  const Prefix net = Prefix::parse("192.0.2.128/25").value();
  EXPECT_TRUE(net.contains(address("192.0.2.128")) && net.contains(address("192.0.2.255")));
  EXPECT_FALSE(net.contains(address("192.0.2.127")) || net.contains(address("192.0.3.128")));
  EXPECT_FALSE(net.contains(address("c000:280::")));
  EXPECT_TRUE(Prefix::parse("0.0.0.0/0")->contains(address("203.0.113.9")));
  EXPECT_FALSE(Prefix::parse("0.0.0.0/0")->contains(address("::1"))) << "of the other version";
  EXPECT_TRUE(Prefix::parse("2001:db8::/33")->contains(address("2001:db8:7fff::1")));
  EXPECT_FALSE(Prefix::parse("2001:db8::/33")->contains(address("2001:db8:8000::1")));
}

TEST(Prefix, IsReadAndWritten) {
  EXPECT_EQ(Prefix::parse("192.0.2.7/24")->to_string(), "192.0.2.0/24") << "its network";
  EXPECT_EQ(Prefix::parse("192.0.2.7")->to_string(), "192.0.2.7/32") << "a bare address";
  EXPECT_EQ(Prefix::parse("2001:db8::7")->length(), 128u);
  EXPECT_EQ(Prefix::parse("10.0.0.0/32")->length(), 32u);
  for (const char* const wrong : {"", "/24", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1",
                                  "192.0.2.0/24x", "2001:db8::/129", "192.0.2.0/2/4"})
    EXPECT_FALSE(Prefix::parse(wrong)) << wrong;
}

// https://www.tcpdump.org/linktypes.html: files have these numbers.
TEST(LinkType, HasTheNumbersOfTheRegistry) {
  const std::pair<LinkType, int> registered[] = {{LinkType::null, 0},
                                                 {LinkType::ethernet, 1},
                                                 {LinkType::ppp, 9},
                                                 {LinkType::raw_bsd, 12},
                                                 {LinkType::raw_openbsd, 14},
                                                 {LinkType::ppp_hdlc, 50},
                                                 {LinkType::ppp_ether, 51},
                                                 {LinkType::raw, 101},
                                                 {LinkType::cisco_hdlc, 104},
                                                 {LinkType::ieee80211, 105},
                                                 {LinkType::loop, 108},
                                                 {LinkType::linux_cooked, 113},
                                                 {LinkType::ieee80211_radiotap, 127},
                                                 {LinkType::ipv4, 228},
                                                 {LinkType::ipv6, 229},
                                                 {LinkType::linux_cooked2, 276}};
  for (const auto& [link, number] : registered) EXPECT_EQ(static_cast<int>(link), number);
}

}  // namespace
}  // namespace sojourn
