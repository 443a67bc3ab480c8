#include "wire/ip_packet.h"

#include <random>

#include "wire/test_layers.h"
#include "wire/test_parse.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

using namespace test;

std::optional<IpPacket> located(const Packet& packet, std::optional<Skip>* skip = nullptr) {
  IpLocator locator{1};
  IpPacket found;
  const std::size_t count = locator.locate({&packet, 1}, {&found, 1});
  EXPECT_EQ(count + locator.skipped().total(), 1u) << "a packet ends in exactly one place";
  if (count == 1) return found;
  for (std::size_t i = 0; skip && i < SkipCounters::size; ++i)
    if (locator.skipped()[static_cast<Skip>(i)] == 1) *skip = static_cast<Skip>(i);
  return std::nullopt;
}
std::optional<IpPacket> located(const Bytes& bytes, LinkType link = LinkType::ethernet) {
  return located(packet_of(bytes, link));
}

TEST(IpPacket, HoldsPortsFlagsAndLengths) {
  const Bytes bytes = ethernet(EtherType::ipv4, ipv4({}, IpProtocol::tcp,
                                                     tcp({}, {.flags = tcp_syn, .payload = 30}))) +
                      zeros(6);
  const auto packet = located(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->time, timestamp_from_ns(5));
  EXPECT_EQ(packet->ip, bytes.data() + 14);
  EXPECT_EQ(packet->ip_length, 70u);
  EXPECT_EQ(packet->ip_captured, 70u) << "without Ethernet's padding";
  EXPECT_EQ(packet->transport_offset, 20u);
  EXPECT_EQ(packet->transport_length(), 50u);
  EXPECT_EQ(packet->transport().size(), 50u);
  EXPECT_EQ(packet->source_port, 40000);
  EXPECT_EQ(packet->destination_port, 443);
  EXPECT_EQ(packet->tcp_flags, tcp_syn);
  EXPECT_EQ(packet->protocol, IpProtocol::tcp);
  EXPECT_FALSE(packet->is_ipv6 || packet->later_fragment);
  const FlowKey key = packet->key();
  EXPECT_EQ(key.source.to_string(), "192.0.2.1");
  EXPECT_EQ(key.destination.to_string(), "198.51.100.2");
  EXPECT_EQ(key.source_port, 40000);
  EXPECT_EQ(key.destination_port, 443);
  EXPECT_EQ(key.protocol, 6);
}

TEST(IpPacket, ItsFlowIsOneDirectionOfOneProtocol) {
  const auto flow = [](const Ends& ends, IpProtocol protocol, bool six) {
    const Bytes payload = udp(ends.source_port, ends.destination_port, zeros(20));
    const Bytes ip = six ? ipv6(ends, protocol, payload) : ipv4(ends, protocol, payload);
    return located(ip, LinkType::raw)->flow;
  };
  for (const bool six : {false, true}) {
    const Ends ends;
    const std::uint64_t same = flow(ends, IpProtocol::udp, six);
    EXPECT_EQ(flow(ends, IpProtocol::udp, six), same);
    EXPECT_NE(flow(ends.swapped(), IpProtocol::udp, six), same);
    EXPECT_NE(flow(ends, IpProtocol::tcp, six), same);
    EXPECT_NE(flow({.source = 1}, IpProtocol::udp, six), same);
    EXPECT_NE(flow({.destination = 1}, IpProtocol::udp, six), same);
    EXPECT_NE(flow({.source_port = 1}, IpProtocol::udp, six), same);
    EXPECT_NE(flow({.destination_port = 1}, IpProtocol::udp, six), same);
  }
}

TEST(IpPacket, LaterFragmentsHaveNoPorts) {
  Bytes bytes = ipv4({}, IpProtocol::udp, udp(1, 2, zeros(40)));
  bytes[7] = std::byte{1};
  auto packet = located(bytes, LinkType::raw);
  EXPECT_TRUE(packet->later_fragment);
  EXPECT_EQ(packet->source_port, 0);

  const Ipv6Fragment header{.next_header = IpProtocol::udp, .offset_and_more = 8};
  const Bytes six = ipv6({}, IpProtocol::fragment, bytes_of(header) + udp(1, 2, zeros(40)));
  packet = located(six, LinkType::raw);
  EXPECT_TRUE(packet->later_fragment);
  EXPECT_EQ(packet->protocol, IpProtocol::udp);
  EXPECT_EQ(packet->source_port, 0);
  EXPECT_EQ(packet->fragment_offset, 40);
  EXPECT_EQ(packet->transport_offset, 48u);
}

TEST(IpPacket, StepsOverExtensionHeadersAndNamesWhereTheFragmentHeaderIs) {
  const Ipv6Fragment fragment{.next_header = IpProtocol::udp, .offset_and_more = 1};
  const Bytes options = bytes_of({44, 1}) + zeros(14);
  const Bytes bytes = ipv6({}, IpProtocol::destination_options,
                           options + bytes_of(fragment) + udp(7, 8, zeros(40)));
  const auto packet = located(bytes, LinkType::raw);
  EXPECT_EQ(packet->fragment_offset, 40 + 16);
  EXPECT_EQ(packet->transport_offset, 40u + 16 + 8);
  EXPECT_EQ(packet->source_port, 7);
  EXPECT_FALSE(packet->later_fragment);
}

TEST(IpPacket, ExistsAlsoWhereTheTransportWasCut) {
  const Bytes bytes = ethernet(EtherType::ipv4, ipv4({}, IpProtocol::tcp, tcp({})));
  Packet packet = packet_of(bytes);
  packet.captured = 14 + 20 + 3;
  EXPECT_EQ(located(packet)->source_port, 0);
  packet.captured = 14 + 20 + 4;
  EXPECT_EQ(located(packet)->source_port, 40000);
  EXPECT_EQ(located(packet)->tcp_flags, 0);
  packet.captured = 14 + 19;
  std::optional<Skip> skip;
  EXPECT_FALSE(located(packet, &skip));
  EXPECT_EQ(skip, Skip::truncated_ip);
}

// The fast path for plain frames is an optimisation: the walk must agree on all packets it accepts.
TEST(IpPacket, TheShortWayAgreesWithTheWalk) {
  std::mt19937 random{5};
  const std::array protocols{IpProtocol::tcp, IpProtocol::udp, IpProtocol::icmp, IpProtocol::gre};
  int agreed = 0;
  for (int round = 0; round < 20000; ++round) {
    const Ends ends{.destination_port = static_cast<std::uint16_t>(random() % 3 ? 4789 : 80)};
    const IpProtocol protocol = protocols[random() % protocols.size()];
    const Bytes payload = protocol == IpProtocol::tcp
                              ? tcp(ends)
                              : udp(ends.source_port, ends.destination_port, zeros(30));
    const bool six = random() % 2 == 0;
    Bytes bytes = ethernet(six ? EtherType::ipv6 : EtherType::ipv4,
                           six ? ipv6(ends, protocol, payload) : ipv4(ends, protocol, payload));
    if (random() % 4 == 0) {
      const Bytes tag = bytes_of({0x81, 0, 0x60, 9});
      bytes.insert(bytes.begin() + 12, tag.begin(), tag.end());
    }
    for (unsigned changes = random() % 4; changes > 0; --changes)
      bytes[12 + random() % (bytes.size() - 12)] = static_cast<std::byte>(random());
    Packet packet = packet_of(bytes);
    packet.captured -= static_cast<std::uint32_t>(random() % 4 == 0 ? random() % bytes.size() : 0);
    LocatedPacket at;
    const auto why = locate(packet, at);
    std::optional<Skip> skip;
    const auto found = located(packet, &skip);
    ASSERT_EQ(found.has_value(), at.inner.ip != nullptr);
    if (!found) {
      ASSERT_EQ(skip, why);
      continue;
    }
    ++agreed;
    ASSERT_EQ(found->ip, at.inner.ip);
    ASSERT_EQ(found->ip_captured, at.inner.captured);
    ASSERT_EQ(found->ip_length, at.inner.length);
    ASSERT_EQ(found->transport_offset, at.inner.transport_offset);
    ASSERT_EQ(found->fragment_offset, at.inner.fragment_offset);
    ASSERT_EQ(found->protocol, at.inner.protocol);
    ASSERT_EQ(found->is_ipv6, at.inner.is_ipv6);
    ASSERT_EQ(found->later_fragment, at.inner.later_fragment);
  }
  EXPECT_GT(agreed, 10000) << "else the test shows little";
}

TEST(LocatedPacket, KnowsTheOutermostHeaderAndWhetherThePacketMayGrow) {
  const Bytes inner = ipv4({}, IpProtocol::tcp, tcp({}));
  const auto walk = [](const Bytes& bytes) {
    LocatedPacket at;
    EXPECT_EQ(locate(packet_of(bytes), at), std::nullopt);
    return at;
  };
  const Bytes plain = ethernet(EtherType::ipv4, inner);
  EXPECT_EQ(walk(plain).outer.ip, walk(plain).inner.ip);
  EXPECT_FALSE(walk(plain).length_below);
  EXPECT_EQ(walk(plain).transport, IpProtocol::tcp);

  const Bytes tunnel = ethernet(EtherType::ipv4, in_ipv4(IpProtocol::ipv4, inner).bytes);
  EXPECT_EQ(walk(tunnel).outer.ip, tunnel.data() + 14);
  EXPECT_EQ(walk(tunnel).inner.ip, tunnel.data() + 34);
  EXPECT_EQ(walk(tunnel).outer.protocol, IpProtocol::ipv4);

  const Bytes session = ethernet(EtherType::pppoe_session, pppoe({Form::ipv4, inner}));
  EXPECT_TRUE(walk(session).length_below);
  const Bytes snap = llc_snap({Form::ipv4, inner});
  EXPECT_TRUE(walk(ethernet(static_cast<std::uint16_t>(snap.size()), snap)).length_below);
  const Bytes inside = ethernet(
      EtherType::ipv4,
      in_udp(4789, vxlan(0, ethernet(EtherType::pppoe_session, pppoe({Form::ipv4, inner})))).bytes);
  EXPECT_FALSE(walk(inside).length_below) << "lengths within a tunnel are not below";
}

}  // namespace
}  // namespace sojourn
