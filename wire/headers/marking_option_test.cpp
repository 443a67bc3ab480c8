#include "wire/headers/marking_option.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace sojourn {
namespace {

using Bytes = std::vector<std::byte>;

/// An IPv6 packet whose payload begins with these bytes and ends with eight of UDP.
Bytes ipv6_with(int next, std::initializer_list<int> extensions) {
  Bytes bytes(40);
  bytes[0] = std::byte{0x60};
  bytes[6] = static_cast<std::byte>(next);
  for (const int value : extensions) bytes.push_back(static_cast<std::byte>(value));
  for (const int value : {0x13, 0x88, 0x13, 0x89, 0, 8, 0, 0})
    bytes.push_back(static_cast<std::byte>(value));
  bytes[5] = static_cast<std::byte>(bytes.size() - 40);
  return bytes;
}

constexpr OptionPlace hop = OptionPlace::hop_by_hop, end = OptionPlace::destination;
const Bytes plain = ipv6_with(17, {});
const Bytes with_hop = ipv6_with(0, {17, 0, 5, 2, 0, 0, 1, 0});  // router alert and PadN
const Bytes with_routing = ipv6_with(43, {17, 0, 0, 0, 0, 0, 0, 0});
const Bytes with_both = ipv6_with(0, {60, 0, 1, 4, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0});

Bytes inserted(const Bytes& ip, OptionPlace place, std::uint32_t data = 0xabcde000) {
  Bytes out(ip.size() + alt_mark_growth);
  insert_alt_mark(ip, place, {.data = data}, out);
  return out;
}

TEST(AltMarkOption, HasItsFieldsWhereTheRfcDrawsThem) {
  const AltMarkOption option{.data = 0xabcde800};
  EXPECT_EQ(option.type, 0x12);
  EXPECT_EQ(option.data_length, 4);
  EXPECT_EQ(option.flow_id(), 0xabcdeu);
  EXPECT_TRUE(option.loss());
  EXPECT_FALSE(option.delay());
  EXPECT_TRUE((AltMarkOption{.data = 0x400}).delay());
}

TEST(AltMarkOption, InsertedAloneHasAHeaderOfItsOwn) {
  const Bytes out = inserted(plain, hop);
  EXPECT_EQ(out[5], std::byte{16}) << "payload length";
  EXPECT_EQ(out[6], std::byte{0}) << "announces hop-by-hop options";
  const Bytes header(out.begin() + 40, out.begin() + 48);
  Bytes expected;
  for (const int value : {17, 0, 0x12, 4, 0xab, 0xcd, 0xe0, 0})
    expected.push_back(static_cast<std::byte>(value));
  EXPECT_EQ(header, expected);
  EXPECT_EQ(Bytes(out.begin() + 48, out.end()), Bytes(plain.begin() + 40, plain.end()));
  EXPECT_EQ(find_alt_mark(out, hop), 42u);
  EXPECT_EQ(find_alt_mark(out, end), std::nullopt);
  EXPECT_EQ(inserted(plain, end)[6], std::byte{60});
}

TEST(AltMarkOption, InsertedBesideOthersIsTheLastOfTheirHeader) {
  const Bytes out = inserted(with_hop, hop);
  EXPECT_EQ(out[6], std::byte{0});
  EXPECT_EQ(out[41], std::byte{1}) << "one unit longer";
  EXPECT_EQ(out[48], std::byte{1}) << "PadN";
  EXPECT_EQ(out[49], std::byte{0}) << "of no bytes";
  EXPECT_EQ(find_alt_mark(out, hop), 50u);
  EXPECT_EQ(out[5], std::byte{24});
}

TEST(AltMarkOption, DestinationOptionsComeBehindHopByHop) {
  const Bytes out = inserted(with_hop, end);
  EXPECT_EQ(out[6], std::byte{0});
  EXPECT_EQ(out[40], std::byte{60}) << "announced by the header before";
  EXPECT_EQ(out[48], std::byte{17});
  EXPECT_EQ(find_alt_mark(out, end), 50u);
  EXPECT_EQ(inserted(with_routing, end)[6], std::byte{60}) << "and before all others";
  EXPECT_EQ(find_alt_mark(inserted(with_both, end), end), 58u);
}

TEST(AltMarkOption, RemovalIsTheExactReverse) {
  for (const Bytes& ip : {plain, with_hop, with_routing, with_both})
    for (const OptionPlace place : {hop, end}) {
      ASSERT_EQ(may_insert_alt_mark(ip, place), OptionRefusal::none);
      const Bytes marked = inserted(ip, place);
      Bytes restored(marked.size());
      ASSERT_TRUE(remove_alt_mark(marked, place, restored));
      restored.resize(ip.size());
      EXPECT_EQ(restored, ip);
    }
}

TEST(AltMarkOption, IsNotRemovedFromWhereWeWouldNotPutIt) {
  const Bytes first = ipv6_with(0, {17, 1, 0x12, 4, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0});
  Bytes out(first.size());
  EXPECT_TRUE(find_alt_mark(first, hop));
  EXPECT_FALSE(remove_alt_mark(first, hop, out)) << "something follows it";
  const Bytes without_padding = ipv6_with(0, {17, 1, 5, 2, 0, 0, 0, 0, 0, 0, 0x12, 4, 0, 0, 0, 0});
  out.resize(without_padding.size());
  EXPECT_TRUE(find_alt_mark(without_padding, hop));
  EXPECT_FALSE(remove_alt_mark(without_padding, hop, out)) << "other padding stands before it";
  out.resize(plain.size());
  EXPECT_FALSE(remove_alt_mark(plain, hop, out));
}

TEST(AltMarkOption, IsFoundBehindPaddingOnly) {
  EXPECT_EQ(find_alt_mark(ipv6_with(0, {17, 1, 0, 0, 0, 1, 1, 9, 0x12, 4, 0, 0, 0, 0, 0, 0}), hop),
            48u);
  EXPECT_EQ(find_alt_mark(ipv6_with(0, {17, 0, 0x12, 3, 0, 0, 0, 0}), hop), std::nullopt)
      << "another length";
  EXPECT_EQ(find_alt_mark(ipv6_with(0, {17, 0, 5, 9, 0x12, 4, 0, 0}), hop), std::nullopt)
      << "behind an option that claims more than there is";
  EXPECT_EQ(find_alt_mark(ipv6_with(60, {0, 0, 1, 4, 0, 0, 0, 0, 17, 0, 0x12, 4, 0, 0, 0, 0}), hop),
            std::nullopt)
      << "hop-by-hop options stand first or not at all";
  EXPECT_EQ(find_alt_mark(ipv6_with(44, {60, 0, 0, 0, 0, 0, 0, 0}), end), std::nullopt);
  Bytes four(40, std::byte{0});
  four[0] = std::byte{0x45};
  EXPECT_EQ(find_alt_mark(four, hop), std::nullopt);
  const Bytes marked = inserted(plain, hop);
  EXPECT_EQ(find_alt_mark(std::span{marked}.first(47), hop), std::nullopt) << "cut";
  EXPECT_EQ(find_alt_mark(std::span{marked}.first(39), hop), std::nullopt);
  EXPECT_EQ(find_alt_mark(std::span{marked}.first(48), hop), 42u);
}

TEST(AltMarkOption, IsRefusedWhereItCannotBe) {
  EXPECT_EQ(may_insert_alt_mark(Bytes(40), hop), OptionRefusal::not_ipv6);
  Bytes ip = plain;
  ip[5] = std::byte{0};
  EXPECT_EQ(may_insert_alt_mark(ip, hop), OptionRefusal::no_length);
  ip[4] = std::byte{0xff}, ip[5] = std::byte{0xf8};
  EXPECT_EQ(may_insert_alt_mark(ip, hop), OptionRefusal::no_length) << "would overflow";
  ip[5] = std::byte{0xf7};
  EXPECT_EQ(may_insert_alt_mark(ip, hop), OptionRefusal::none);
  EXPECT_EQ(may_insert_alt_mark(ipv6_with(0, {17, 0, 1, 2, 0, 0, 1, 0}), hop), OptionRefusal::none)
      << "padding of two bytes fills the header";
  const Bytes authenticated = ipv6_with(51, {17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(may_insert_alt_mark(authenticated, hop), OptionRefusal::authenticated);
  EXPECT_EQ(may_insert_alt_mark(std::span{with_hop}.first(47), hop), OptionRefusal::truncated);
  const Bytes lying = ipv6_with(0, {17, 0, 5, 9, 0, 0, 0, 0});
  EXPECT_EQ(may_insert_alt_mark(lying, hop), OptionRefusal::bad_options);
  EXPECT_EQ(may_insert_alt_mark(lying, end), OptionRefusal::none) << "in another header";
  const Bytes half = ipv6_with(0, {17, 0, 1, 3, 0, 0, 0, 5});
  EXPECT_EQ(may_insert_alt_mark(half, hop), OptionRefusal::bad_options) << "a type without length";
  Bytes full = ipv6_with(0, {17, 0xff});
  full.resize(40 + 2048 + 8);
  full[4] = std::byte{8}, full[5] = std::byte{8};
  EXPECT_EQ(may_insert_alt_mark(full, hop), OptionRefusal::header_full);
}

}  // namespace
}  // namespace sojourn
