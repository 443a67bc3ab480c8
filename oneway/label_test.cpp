#include "oneway/label.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "oneway/bob_hash.h"
#include "oneway/selection.h"
#include "oneway/test_point.h"
#include "wire/test_layers.h"

namespace sojourn {
namespace {

using namespace test;

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string{text.substr(i, 2)}, nullptr, 16)));
  return bytes;
}

TEST(BobHash, AgreesWithTheKnownValues) {
  EXPECT_EQ(BobHash::of({}, 0), 0xbd49d10du);
  constexpr std::string_view text = "Four score and seven years ago";
  EXPECT_EQ(BobHash::of(std::as_bytes(std::span{text}), 0), 0x50f2424bu);
  EXPECT_EQ(
      BobHash::of(from_hex("a1744000c0000201c6336402000102030405060708090a0b0c0d0e0f"), 0x9a3f9a3f),
      0x658f4960u);
}

TEST(Label, OfAnIpv4PacketHashesTheFieldsInOrder) {
  // The third value again, as a packet of an unassigned protocol.
  Bytes packet =
      ipv4({}, static_cast<IpProtocol>(253), from_hex("000102030405060708090a0b0c0d0e0f"));
  packet[4] = std::byte{0xa1}, packet[5] = std::byte{0x74};
  EXPECT_EQ(label_of(at_point(packet), {}), 0x658f4960u);
}

// RFC 5475 appendix A.1, its ten steps by hand, lower 16 bits only:
//     f1 = a1744000, f2 = c0000201          v1 = 61744201
//     f3 = c6336402, f4 = 04050607          v2 = c2366205
//     v1 << 8   0100      v1 >> 4   4420      v1 >> 12  1744      v1 >> 16  6174      together 3310
//     v2 << 6   8140      v2 << 10  1400      v2 << 14  4000      v2 >> 7   6cc4      together b984
TEST(Ipsx, AgreesWithTheStepsOfTheRfc) {
  EXPECT_EQ(ipsx_hash({0xa1744000, 0xc0000201, 0xc6336402, 0x04050607}), 0x3310 ^ 0xb984);
  // Each single bit must appear where its shifts put it.
  EXPECT_EQ(ipsx_hash({.f1 = 1u << 16}), (1u << 12) ^ (1u << 4) ^ 1u);
  EXPECT_EQ(ipsx_hash({.f2 = 1}), 1u << 8);
  EXPECT_EQ(ipsx_hash({.f3 = 1}), (1u << 6) ^ (1u << 10) ^ (1u << 14));
  EXPECT_EQ(ipsx_hash({.f4 = 1u << 22}), 1u << 15);
}

TEST(Label, CanBeIpsx) {
  Bytes packet =
      ipv4({}, static_cast<IpProtocol>(253), from_hex("000102030405060708090a0b0c0d0e0f"));
  packet[4] = std::byte{0xa1}, packet[5] = std::byte{0x74};
  const IpsxInput input = ipsx_input(at_point(packet));
  EXPECT_EQ(input.f1, 0xa1744000u);
  EXPECT_EQ(input.f2, 0xc0000201u);
  EXPECT_EQ(input.f3, 0xc6336402u);
  EXPECT_EQ(input.f4, 0x04050607u);
  // Which bytes are hashed is fixed: the options of BOB change nothing.
  EXPECT_EQ(
      label_of(
          at_point(packet),
          {.function = LabelFunction::ipsx, .init = 7, .payload_offset = 1, .payload_bytes = 1}),
      0x3310u ^ 0xb984u);
  EXPECT_EQ(ipsx_input(at_point(ipv4({}, static_cast<IpProtocol>(253), from_hex("0001020304")))).f4,
            0u)
      << "too short";
}

/// Label and identity must agree on what is the same packet.
struct Sight {
  std::uint32_t label;
  std::uint64_t identity;
  friend bool operator==(const Sight&, const Sight&) = default;
};
Sight see(const Bytes& bytes, LinkType link = LinkType::raw, const LabelOptions& options = {}) {
  const IpPacket packet = at_point(bytes, link);
  return {label_of(packet, options),
          identity_of(packet, InvariantBytes{packet, options}, HashKey::from_seed(5))};
}

Bytes payload(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return bytes;
}

/// A packet, and the bits of each byte that may change without changing its identity.
struct Case {
  std::string name;
  Bytes packet;
  std::vector<int> free_bits;
};

std::vector<Case> cases() {
  const Bytes tcp_payload = tcp({}) + payload(60), udp_payload = udp(1000, 2000, payload(60));
  const auto free_ipv4 = [](const Bytes& packet, std::size_t checksum) {
    std::vector<int> bits(packet.size(), 0);
    bits[1] = 0xff;                        // DSCP and ECN
    bits[6] = 0x80;                        // reserved flag
    bits[8] = bits[10] = bits[11] = 0xff;  // TTL, header checksum
    bits[20 + checksum] = bits[21 + checksum] = 0xff;
    for (std::size_t i = 60; i < packet.size(); ++i) bits[i] = 0xff;  // beyond the 40 bytes
    return bits;
  };
  const auto free_ipv6 = [](const Bytes& packet, std::size_t checksum) {
    std::vector<int> bits(packet.size(), 0);
    bits[0] = 0x0f, bits[1] = bits[2] = bits[3] = 0xff;  // traffic class, flow label
    bits[7] = 0xff;                                      // hop limit
    bits[40 + checksum] = bits[41 + checksum] = 0xff;
    for (std::size_t i = 80; i < packet.size(); ++i) bits[i] = 0xff;
    return bits;
  };
  const Bytes tcp4 = ipv4({}, IpProtocol::tcp, tcp_payload),
              udp4 = ipv4({}, IpProtocol::udp, udp_payload);
  const Bytes tcp6 = ipv6({}, IpProtocol::tcp, tcp_payload),
              udp6 = ipv6({}, IpProtocol::udp, udp_payload);
  return {{"tcp4", tcp4, free_ipv4(tcp4, 16)},
          {"udp4", udp4, free_ipv4(udp4, 6)},
          {"tcp6", tcp6, free_ipv6(tcp6, 16)},
          {"udp6", udp6, free_ipv6(udp6, 6)}};
}

TEST(Label, StaysTheSameForBitsThatMayChangeAndForNoOther) {
  for (const Case& at : cases()) {
    const Sight before = see(at.packet);
    for (std::size_t byte = 0; byte < at.packet.size(); ++byte) {
      for (int bit = 0; bit < 8; ++bit) {
        // Version, lengths and protocol: another value is another format, not another packet.
        const bool ipv4 = at.name.back() == '4';
        if (ipv4 ? byte == 0 || byte == 2 || byte == 3 || byte == 9
                 : byte == 4 || byte == 5 || byte == 6)
          continue;
        if (!ipv4 && byte == 0 && bit >= 4) continue;
        if (ipv4 && (byte == 6 || byte == 7) && !(byte == 6 && bit >= 6))
          continue;  // becomes a fragment: below
        Bytes changed = at.packet;
        changed[byte] ^= static_cast<std::byte>(1 << bit);
        const Sight after = see(changed);
        const bool is_free = (at.free_bits[byte] >> bit & 1) != 0;
        EXPECT_EQ(before.identity == after.identity, is_free)
            << at.name << " byte " << byte << " bit " << bit;
        // The label covers ten of the 32 bytes of IPv6 addresses (RFC 5475); the identity covers
        // all.
        const std::size_t in_address = (byte - 8) % 16;
        const bool in_label = ipv4 || byte < 8 || byte >= 40 || in_address == 9 ||
                              in_address == 10 || in_address >= 13;
        EXPECT_EQ(before.label == after.label, is_free || !in_label)
            << at.name << " byte " << byte << " bit " << bit;
      }
    }
  }
}

TEST(Label, TellsFragmentsApart) {
  const Bytes packet = ipv4({}, IpProtocol::udp, udp(1, 2, payload(60)));
  std::set<std::uint64_t> identities;
  for (const int offset : {0x4000, 0x2000, 0x0001, 0x2001, 0x0100}) {
    Bytes fragment = packet;
    fragment[6] = static_cast<std::byte>(offset >> 8), fragment[7] = static_cast<std::byte>(offset);
    identities.insert(see(fragment).identity);
  }
  EXPECT_EQ(identities.size(), 5u);

  const auto fragment6 = [](std::uint16_t offset, std::uint32_t id) {
    const Ipv6Fragment header{
        .next_header = IpProtocol::udp, .offset_and_more = offset, .identification = id};
    return ipv6({}, IpProtocol::fragment, bytes_of(header) + payload(60));
  };
  EXPECT_NE(see(fragment6(8, 1)), see(fragment6(16, 1)));
  EXPECT_NE(see(fragment6(8, 1)), see(fragment6(8, 2)));
}

Bytes ipv6_fragment(std::uint16_t offset_and_more, const Bytes& part) {
  const Ipv6Fragment header{.next_header = IpProtocol::udp,
                            .reserved = 9,
                            .offset_and_more = offset_and_more,
                            .identification = 0x01020304};
  return ipv6({}, IpProtocol::fragment, bytes_of(header) + part);
}

// In order: length behind the extension headers, bytes 10, 11 and 14 to 16 of both addresses, the
// fragment's offset and identification, 40 bytes of payload.
TEST(Label, OfAnIpv6FragmentHashesTheFieldsInOrder) {
  const Bytes part = payload(50);
  const Bytes packet = ipv6_fragment(0x0109, part);
  Bytes expected = bytes_of({0, 50});
  for (const std::size_t address : {8u, 24u})
    for (const std::size_t byte : {9u, 10u, 13u, 14u, 15u})
      expected.push_back(packet[address + byte]);
  expected = expected + bytes_of({0x01, 0x09, 1, 2, 3, 4}) + Bytes(part.begin(), part.begin() + 40);
  const IpPacket located = at_point(packet);
  const InvariantBytes invariant{located, {}};
  EXPECT_EQ(Bytes(invariant.bytes().begin(), invariant.bytes().end()), expected)
      << "the checksum of UDP is not in a later fragment, so all bytes are payload";
  EXPECT_FALSE(invariant.cut());
  EXPECT_EQ(label_of(located, {}), BobHash::of(expected, LabelOptions{}.init));
  EXPECT_NE(see(packet), see(ipv6_fragment(0x0108, part))) << "whether more follow";
  EXPECT_NE(see(packet), see(ipv6_fragment(0x0111, part))) << "offset";
}

TEST(Label, OfAFirstIpv6FragmentLeavesOutTheChecksum) {
  const Bytes datagram = udp(1, 2, payload(60));
  Bytes filled = datagram;
  filled[6] = std::byte{0xab}, filled[7] = std::byte{0xcd};
  EXPECT_EQ(see(ipv6_fragment(1, filled)), see(ipv6_fragment(1, datagram)));
  EXPECT_NE(see(ipv6_fragment(9, filled)), see(ipv6_fragment(9, datagram)));
}

TEST(Ipsx, OfAnIpv6FragmentTakesThePayloadBehindItsOffset) {
  const Bytes part = payload(50);
  const IpsxInput input = ipsx_input(at_point(ipv6_fragment(0x0109, part)));
  EXPECT_EQ(input.f4, load_network<std::uint32_t>(part.data() + 4));
  const IpsxInput whole = ipsx_input(at_point(ipv6({}, static_cast<IpProtocol>(253), part)));
  EXPECT_EQ(whole.f4, input.f4);
  EXPECT_EQ(whole.f1, input.f1) << "the same length";
  EXPECT_EQ(whole.f2, input.f2);
  EXPECT_EQ(whole.f3, input.f3);
}

TEST(Label, DoesNotDependOnWhatIsAroundThePacket) {
  for (const Case& at : cases()) {
    const Sight bare = see(at.packet);
    const bool is_ipv6 = at.name.back() == '6';
    const Carried inner{is_ipv6 ? Form::ipv6 : Form::ipv4, at.packet};
    for (const Wrapping& around : wrappings()) {
      if (!around.fits(inner.form)) continue;
      const Carried outer = around.wrap(inner);
      const LinkType link = outer.form == Form::frame ? LinkType::ethernet : LinkType::raw;
      EXPECT_EQ(see(outer.bytes, link), bare) << at.name << " in " << around.name;
    }
  }
}

TEST(Label, IgnoresTheMarkingOptionOfIpv6) {
  // RFC 9343 section 3: option 0x12 with 4 bytes of data, in a hop-by-hop or destination header.
  const Bytes transport = tcp({}) + payload(60);
  const Sight bare = see(ipv6({}, IpProtocol::tcp, transport));
  for (const IpProtocol carrier : {IpProtocol::hop_by_hop, IpProtocol::destination_options}) {
    for (const int marks : {0x00, 0x80, 0x40}) {
      const Bytes option = bytes_of(
          {static_cast<int>(IpProtocol::tcp), 0, 0x12, 4, 0, 0, 0x10 | (marks >> 4), marks});
      EXPECT_EQ(see(ipv6({}, carrier, option + transport)), bare);
    }
  }
}

TEST(Label, CoversTheBytesThatWereAskedFor) {
  const Bytes packet = ipv4({}, IpProtocol::udp, udp(1, 2, payload(80)));
  Bytes changed = packet;
  changed[20 + 8 + 50] ^= std::byte{1};
  const LabelOptions far{.payload_offset = 50, .payload_bytes = 10};
  EXPECT_EQ(see(packet), see(changed));
  EXPECT_NE(see(packet, LinkType::raw, far), see(changed, LinkType::raw, far));
  EXPECT_NE(see(packet, LinkType::raw, {.init = 1}).label,
            see(packet, LinkType::raw, {.init = 2}).label);
}

TEST(Label, SaysWhenTheCaptureWasCutTooShort) {
  const Bytes whole = ipv4({}, IpProtocol::udp, udp(1, 2, payload(80)));
  const Bytes small = ipv4({}, IpProtocol::udp, udp(1, 2, payload(4)));
  const auto cut_at = [](const Bytes& bytes, std::size_t captured) {
    IpPacket packet = at_point(bytes);
    packet.ip_captured = static_cast<std::uint32_t>(captured);
    return InvariantBytes{packet, {}}.cut();
  };
  EXPECT_TRUE(cut_at(whole, 59));
  EXPECT_TRUE(cut_at(whole, 20));
  EXPECT_FALSE(cut_at(whole, 60));
  EXPECT_FALSE(cut_at(small, 32));  // all there is
}

TEST(SelectionRange, HasItsShare) {
  EXPECT_TRUE(SelectionRange::of_share(1).everything());
  EXPECT_NEAR(SelectionRange::of_share(0.01).share(), 0.01, 1e-9);
  EXPECT_TRUE(SelectionRange::of_share(0).selects(0));
  EXPECT_FALSE(SelectionRange::of_share(0).selects(1));
}

/// Share of packets selected that differ only in the IPv4 identification and a counter in the
/// payload.
double selected_share(double share, std::uint32_t packets) {
  const PacketSelection selection{SelectionRange::of_share(share), {}};
  std::uint32_t selected = 0;
  for (std::uint32_t i = 0; i < packets; ++i) {
    Bytes packet = ipv4({}, IpProtocol::udp, udp(1, 2, bytes_of(Be32{i})));
    packet[4] = static_cast<std::byte>(i >> 8), packet[5] = static_cast<std::byte>(i);
    selected += selection.selects(at_point(packet));
  }
  return selected / static_cast<double>(packets);
}

TEST(PacketSelection, SelectsTheShareOfSimilarPackets) {
  // Hoeffding: 0.0232 off once in 10^9 if labels are as good as random.
  EXPECT_NEAR(selected_share(0.25, 20'000), 0.25, 0.0232);
  EXPECT_GT(std::abs(selected_share(0.30, 20'000) - 0.25), 0.0232);  // would notice another share
}

TEST(FlowSelection, TakesAllPacketsOfAFlowOrNone) {
  const FlowSelection selection{SelectionRange::of_share(0.5), {}};
  std::uint32_t selected = 0;
  for (std::uint16_t port = 1; port <= 2000; ++port) {
    Ends ends;
    ends.source_port = port;
    const bool chosen =
        selection.selects(at_point(ipv4(ends, IpProtocol::tcp, tcp(ends, {.sequence = 1}))));
    EXPECT_EQ(selection.selects(at_point(ipv4(ends, IpProtocol::tcp, tcp(ends, {.sequence = 9})))),
              chosen);
    selected += chosen;
  }
  EXPECT_NEAR(selected, 1000, 147);  // Hoeffding: beyond once in 10^9
}

// Both addresses, both ports, the protocol: 13 bytes of IPv4 and 37 of IPv6, by BOB.
TEST(FlowSelection, HashesTheWholeFlowOfEitherVersion) {
  const Ends ends;
  for (const bool six : {false, true}) {
    const Bytes packet =
        six ? ipv6(ends, IpProtocol::udp, udp(ends.source_port, ends.destination_port, payload(4)))
            : ipv4(ends, IpProtocol::udp, udp(ends.source_port, ends.destination_port, payload(4)));
    const std::size_t addresses_at = six ? 8 : 12, addresses = six ? 32 : 8, header = six ? 40 : 20;
    Bytes flow(packet.begin() + static_cast<std::ptrdiff_t>(addresses_at),
               packet.begin() + static_cast<std::ptrdiff_t>(addresses_at + addresses));
    flow.insert(flow.end(), packet.begin() + static_cast<std::ptrdiff_t>(header),
                packet.begin() + static_cast<std::ptrdiff_t>(header + 4));
    flow.push_back(static_cast<std::byte>(IpProtocol::udp));
    EXPECT_EQ(flow.size(), six ? 37u : 13u);
    const LabelOptions options{.init = 0x12345678};
    const std::uint32_t hash = BobHash::of(flow, options.init);
    const IpPacket located = at_point(packet);
    EXPECT_TRUE((FlowSelection{{hash, hash}, options}.selects(located))) << six;
    EXPECT_FALSE((FlowSelection{{hash + 1, hash - 1}, options}.selects(located))) << six;
    EXPECT_FALSE((FlowSelection{{hash + 1, 0xffffffff}, options}.selects(located))) << six;
  }
}

// A device that changes an address corrects the checksum: it must not change the label, wherever
// the bytes of the label begin.
TEST(Label, LeavesOutTheChecksumWhereverItsBytesBegin) {
  const Bytes packet = ipv4({}, IpProtocol::tcp, tcp({}, {.payload = 40}));
  for (const std::uint32_t offset : {0u, 10u, 15u, 16u, 17u, 18u}) {
    const LabelOptions options{.payload_offset = offset, .payload_bytes = 20};
    for (const std::size_t at : {16u, 17u}) {
      Bytes changed = packet;
      changed[20 + at] ^= std::byte{1};
      EXPECT_EQ(see(packet, LinkType::raw, options), see(changed, LinkType::raw, options))
          << offset << " " << at;
    }
    Bytes changed = packet;
    changed[20 + 18] ^= std::byte{1};  // the urgent pointer behind it
    EXPECT_NE(see(packet, LinkType::raw, options), see(changed, LinkType::raw, options));
  }
}

}  // namespace
}  // namespace sojourn
