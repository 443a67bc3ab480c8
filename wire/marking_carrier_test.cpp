// Marks in every carrier: each mark is read back, and nothing else changes.

#include "wire/marking_carrier.h"

#include <gtest/gtest.h>

#include <random>

#include "wire/headers/internet_checksum.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

MarkingCarrier carrier(std::string_view name) { return *MarkingCarrier::parse(name); }

Bytes plain_ipv4() {
  Bytes packet = ipv4({}, IpProtocol::udp, udp(1000, 2000, zeros(20)));
  auto& header = *reinterpret_cast<Ipv4Header*>(packet.data());
  header.checksum = internet_checksum(std::span{packet}.first(sizeof header));
  return packet;
}
Bytes plain_ipv6() { return ipv6({}, IpProtocol::udp, udp(1000, 2000, zeros(20))); }

Bytes with_hop_by_hop() {
  // Router alert (RFC 2711) and two bytes of padding, as MLD has it.
  return ipv6({}, IpProtocol::hop_by_hop,
              bytes_of({17, 0, 5, 2, 0, 0, 1, 0}) + udp(1, 2, zeros(8)));
}

TEST(InternetChecksum, ChangedByOneWordAgreesWithTheWhole) {
  std::mt19937 random{7};
  for (int round = 0; round < 20'000; ++round) {
    Bytes header(20);
    for (auto& byte : header) byte = static_cast<std::byte>(random());
    // In words of all ones or all zeros the two zeros of one's complement matter.
    if (round % 3 == 0) header[6] = header[7] = std::byte{0xff};
    if (round % 5 == 0) header[6] = header[7] = std::byte{0};
    header[10] = header[11] = std::byte{0};
    const auto checksum = internet_checksum(header);
    const auto before = load_network<std::uint16_t>(&header[6]);
    const auto after = static_cast<std::uint16_t>(round % 7 == 0 ? 0xffff : random());
    const Be16 word = after;
    std::memcpy(&header[6], &word, 2);
    ASSERT_EQ(updated_checksum(checksum, before, after), internet_checksum(header)) << round;
  }
}

TEST(MarkingCarrier, UnderstandsItsNames) {
  for (const std::string name :
       {"dscp:0", "dscp:5", "dscp:1,0", "reserved", "flow-label:19", "hop-by-hop", "destination"})
    EXPECT_EQ(carrier(name).name(), name);
  EXPECT_EQ(carrier("dscp").name(), "dscp:0");
  EXPECT_EQ(carrier("dscp").bits(), 1u);
  EXPECT_EQ(carrier("dscp:2,4").bits(), 2u);
  EXPECT_EQ(carrier("hop-by-hop").bits(), 2u);
  for (const std::string name : {"", "dscp:", "dscp:6", "dscp:1,1", "dscp:0,1,2", "reserved:1",
                                 "flow-label:20", "flow-label:1,2", "ecn", "dscp:x"})
    EXPECT_FALSE(MarkingCarrier::parse(name)) << name;
}

/// Writes and reads all marks on one packet; the rest of the packet must not change.
void round_trip(const MarkingCarrier& by, const Bytes& original) {
  for (Mark mark = 0; mark < (by.bits() == 2 ? 4 : 2); ++mark) {
    SCOPED_TRACE(by.name() + " " + std::to_string(mark));
    Bytes marked = original;
    if (by.use(original) == CarrierUse::needs_room) {
      EXPECT_FALSE(by.read(original));
      EXPECT_FALSE(by.write(marked, mark));
      EXPECT_EQ(marked, original);
      marked.resize(original.size() + alt_mark_growth);
      by.insert(original, mark, marked);
    } else {
      ASSERT_EQ(by.use(original), CarrierUse::free);
      ASSERT_TRUE(by.write(marked, mark));
    }
    EXPECT_EQ(by.read(marked), mark);
    if ((marked[0] >> 4) == std::byte{4}) {
      EXPECT_EQ(internet_checksum(std::span{marked}.first(20)), 0);
    }
    Bytes restored(marked.size());
    if (by.restore(marked, restored)) restored.resize(marked.size() - alt_mark_growth);
    EXPECT_EQ(restored, original);
  }
}

TEST(MarkingCarrier, WhatGoesInComesOutAndGoesAway) {
  for (const auto* name : {"dscp", "dscp:5", "dscp:1,0", "dscp:3,4", "reserved"})
    round_trip(carrier(name), plain_ipv4());
  for (const auto* name :
       {"dscp", "dscp:5", "dscp:1,0", "flow-label", "flow-label:19", "hop-by-hop", "destination"}) {
    round_trip(carrier(name), plain_ipv6());
    round_trip(carrier(name), with_hop_by_hop());
  }
}

TEST(MarkingCarrier, TouchesNoBitBesideItsOwn) {
  Bytes before = plain_ipv4();
  before[1] = std::byte{0b0000'0011};  // both ECN bits
  for (const unsigned flags : {0x0000u, 0x4000u, 0x2000u, 0x6000u}) {
    const Be16 word = static_cast<std::uint16_t>(flags);
    std::memcpy(&before[6], &word, 2);
    for (const auto* name : {"dscp", "dscp:1,0", "reserved"}) {
      Bytes after = before;
      ASSERT_TRUE(carrier(name).write(after, 3));
      EXPECT_EQ(after[1] & std::byte{3}, std::byte{3});
      EXPECT_EQ(load_network<std::uint16_t>(&after[6]) & 0x7fffu, flags) << name;
    }
  }
}

/// A wrong implementation that writes the whole flags field, so that DF is lost.  The test above
/// must notice.
TEST(MarkingCarrier, TheOldMistakeOfOverwritingDontFragmentIsNoticed) {
  const auto mistaken_write = [](Bytes& ip, Mark mark) {
    ip[6] = static_cast<std::byte>(mark << 7);
  };
  Bytes wrong = plain_ipv4(), right = plain_ipv4();
  ASSERT_EQ(load_network<std::uint16_t>(&right[6]), 0x4000);
  mistaken_write(wrong, 1);
  carrier("reserved").write(right, 1);
  EXPECT_NE(load_network<std::uint16_t>(&wrong[6]) & 0x4000u, 0x4000u);
  EXPECT_EQ(load_network<std::uint16_t>(&right[6]), 0xc000);
}

TEST(MarkingCarrier, ItsWordIsWhereItWrites) {
  for (const std::string name :
       {"dscp:0", "dscp:5", "dscp:3,1", "reserved", "flow-label:0", "flow-label:19"})
    for (Bytes packet : {plain_ipv4(), plain_ipv6()}) {
      const bool is_ipv6 = (packet.front() >> 4) == std::byte{6};
      const auto word = carrier(name).word(is_ipv6);
      Bytes marked = packet;
      ASSERT_EQ(carrier(name).write(marked, first_mark | second_mark), word.has_value()) << name;
      if (!word) continue;
      const auto before = load_network<std::uint32_t>(&packet[word->offset]);
      const auto after = load_network<std::uint32_t>(&marked[word->offset]);
      EXPECT_EQ(before ^ after, word->first | word->second) << name;
      EXPECT_EQ(word->field & after, word->first | word->second) << name;
      EXPECT_EQ(word->second != 0, carrier(name).bits() == 2) << name;
      // The whole field is in use as soon as one of its bits is.
      for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
        Bytes used = packet;
        const Be32 changed = before ^ bit;
        std::memcpy(&used[word->offset], &changed, sizeof changed);
        if ((used[0] >> 4) != (packet[0] >> 4)) continue;  // the version
        EXPECT_EQ(carrier(name).use(used) == CarrierUse::in_use, (word->field & bit) != 0) << name;
      }
    }
  EXPECT_FALSE(carrier("hop-by-hop").word(true));
}

TEST(MarkingCarrier, SaysWhatItWouldClobber) {
  Bytes v4 = plain_ipv4(), v6 = plain_ipv6();
  v4[1] = std::byte{46 << 2};  // expedited forwarding: its lowest bit is 0, yet it is in use
  EXPECT_EQ(carrier("dscp").use(v4), CarrierUse::in_use);
  EXPECT_EQ(carrier("reserved").use(v4), CarrierUse::free);
  v4[6] |= std::byte{0x80};
  EXPECT_EQ(carrier("reserved").use(v4), CarrierUse::in_use);
  v6[3] = std::byte{2};
  EXPECT_EQ(carrier("flow-label").use(v6), CarrierUse::in_use);
  EXPECT_EQ(carrier("dscp").use(v6), CarrierUse::free);
  v6[1] |= std::byte{0x30};  // ECN
  EXPECT_EQ(carrier("dscp").use(v6), CarrierUse::free);
  Bytes marked(v6.size() + alt_mark_growth);
  carrier("hop-by-hop").insert(v6, 0, marked);
  EXPECT_EQ(carrier("hop-by-hop").use(marked), CarrierUse::in_use);
  EXPECT_EQ(carrier("destination").use(marked), CarrierUse::needs_room);
  for (const auto* name : {"flow-label", "hop-by-hop", "destination"})
    EXPECT_EQ(carrier(name).use(v4), CarrierUse::impossible);
  EXPECT_EQ(carrier("reserved").use(v6), CarrierUse::impossible);
  EXPECT_EQ(carrier("dscp").use(Bytes(19, std::byte{0x45})), CarrierUse::impossible);
}

TEST(MarkingOption, IsWrittenAsTheRfcDrawsIt) {
  const Bytes original = plain_ipv6();
  Bytes marked(original.size() + alt_mark_growth);
  carrier("hop-by-hop").with_flow_id(0xabcde).insert(original, second_mark, marked);
  EXPECT_EQ(marked[6], std::byte{0});  // hop-by-hop comes next
  EXPECT_EQ(load_network<std::uint16_t>(&marked[4]), original.size() - 40 + 8);
  const Bytes header(marked.begin() + 40, marked.begin() + 48);
  EXPECT_EQ(header, bytes_of({17, 0, 0x12, 4, 0xab, 0xcd, 0xe4, 0x00}));  // D is the bit after L
  EXPECT_EQ(carrier("hop-by-hop").flow_id(marked), 0xabcdeu);
  // A method for delay alone has its one bit in D.
  EXPECT_EQ(carrier("hop-by-hop").for_delay_only().read(marked).value() & first_mark, first_mark);
}

TEST(MarkingOption, ComesBehindOptionsThatAreThere) {
  const Bytes original = with_hop_by_hop();
  Bytes marked(original.size() + alt_mark_growth);
  carrier("hop-by-hop").insert(original, first_mark, marked);
  const Bytes header(marked.begin() + 40, marked.begin() + 56);
  EXPECT_EQ(header, bytes_of({17, 1, 5, 2, 0, 0, 1, 0, 1, 0, 0x12, 4, 0, 0, 8, 0}));
  // Destination options stand after the hop-by-hop options.
  carrier("destination").insert(original, first_mark, marked);
  EXPECT_EQ(marked[40], std::byte{60});
  EXPECT_EQ(marked[48], std::byte{17});
}

TEST(MarkingOption, IsRefusedWhereItWouldBreakThePacket) {
  const auto refusal = [](const Bytes& ip) {
    return may_insert_alt_mark(ip, OptionPlace::hop_by_hop);
  };
  EXPECT_EQ(refusal(plain_ipv4()), OptionRefusal::not_ipv6);
  Bytes jumbo = plain_ipv6();
  jumbo[4] = jumbo[5] = std::byte{0};
  EXPECT_EQ(refusal(jumbo), OptionRefusal::no_length);
  jumbo[4] = jumbo[5] = std::byte{0xff};
  EXPECT_EQ(refusal(jumbo), OptionRefusal::no_length);
  EXPECT_EQ(refusal(ipv6({}, IpProtocol::authentication, bytes_of({17, 1}) + zeros(30))),
            OptionRefusal::authenticated);
  EXPECT_EQ(refusal(ipv6({}, IpProtocol::hop_by_hop, bytes_of({17, 255}) + zeros(2046))),
            OptionRefusal::header_full);
  EXPECT_EQ(refusal(ipv6({}, IpProtocol::hop_by_hop, bytes_of({17, 3}) + zeros(20))),
            OptionRefusal::truncated);
  EXPECT_EQ(refusal(ipv6({}, IpProtocol::hop_by_hop, bytes_of({17, 0, 5, 9}) + zeros(20))),
            OptionRefusal::bad_options);
}

}  // namespace
}  // namespace sojourn
