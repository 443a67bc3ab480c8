// A tunnel is recognised by its port and by what follows, never by the port alone.

#include <algorithm>
#include <random>
#include <set>

#include "wire/test_layers.h"
#include "wire/test_parse.h"
#include "wire/tunnel_name.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

using namespace test;

std::vector<std::uint16_t> ports_of_registry() {
  std::vector<std::uint16_t> ports;
  for (unsigned port = 0; port < 0x10000; ++port)
    if (may_be_udp_tunnel(static_cast<std::uint16_t>(port)))
      ports.push_back(static_cast<std::uint16_t>(port));
  return ports;
}
const std::vector<std::uint16_t> tunnel_ports = ports_of_registry();

Bytes in_udp_from(std::uint16_t source, std::uint16_t destination, const Bytes& payload) {
  return ipv4({}, IpProtocol::udp, udp(source, destination, payload));
}
Outcome to_port(std::uint16_t port, const Bytes& payload, std::uint16_t source = 50000) {
  return parse(in_udp_from(source, port, payload), LinkType::raw);
}
const Bytes inner = ipv4({}, IpProtocol::tcp, tcp({}));

/// DNS identifiers are where tunnels have their flags: for how many of all identifiers the message
/// is not recognised as DNS.
int lost_of_all_identifiers(Bytes message) {
  constexpr std::size_t dns_at = 28;
  int lost = 0;
  for (int id = 0; id < 0x10000; ++id) {
    message[dns_at] = static_cast<std::byte>(id >> 8);
    message[dns_at + 1] = static_cast<std::byte>(id);
    LocatedPacket at;
    lost += locate(packet_of(message, LinkType::raw), at).has_value() ||
            at.inner.ip != message.data() || at.transport != IpProtocol::udp;
  }
  return lost;
}

TEST(Tunnels, DnsFromATunnelsPortIsDns) {
  for (const std::uint16_t port : tunnel_ports) {
    const Bytes query = in_udp_from(port, 53, dns(0x3201, false, "www.example.org"));
    EXPECT_EQ(lost_of_all_identifiers(query), 0) << port;
    EXPECT_EQ(summary_of(query, LinkType::raw).content, Content::dns_query);
    Bytes answer = in_udp_from(53, port, dns(0x3201, true, "www.example.org"));
    EXPECT_EQ(summary_of(answer, LinkType::raw).content, Content::dns_response);
    for (const int flags : {0x8180, 0x8100, 0x8105}) {
      answer[30] = static_cast<std::byte>(flags >> 8), answer[31] = static_cast<std::byte>(flags);
      EXPECT_EQ(lost_of_all_identifiers(answer), 0) << port << " flags " << flags;
    }
  }
}

bool is_tunnel(const Bytes& payload, std::uint16_t source, std::uint16_t destination) {
  return udp_tunnel(Cursor{payload}, payload.size(), source, destination) != nullptr;
}

/// A name of letters that takes `size` bytes on the wire.
std::string name_of(std::size_t size, char letter) {
  std::string name;
  for (std::size_t left = size - 1; left > 0;) {
    const std::size_t label = std::min<std::size_t>(left, 64) - 1;
    if (!name.empty()) name += '.';
    name.append(std::max<std::size_t>(label, 1), letter);
    left -= label + 1;
  }
  return name;
}

TEST(Tunnels, DnsIsDnsWhateverItsIdentifierFlagsAndNames) {
  // 'g' and 'G' look like the first byte of IPv6 and IPv4.  Queries of 256 and 264 bytes have the
  // length that their flags say to L2TP and to GTP.
  std::vector<std::string> names{"a.root-servers.net", "google.com", "GOOGLE.COM",
                                 "gmail-smtp-in.l.google.com"};
  constexpr std::size_t around_the_name = sizeof(DnsHeader) + 4;
  for (const std::size_t size : {56u, 256u, 264u})
    for (const char letter : {'g', 'G'}) names.push_back(name_of(size - around_the_name, letter));
  for (const std::string& name : names) {
    Bytes message = dns(0, false, name);
    for (const int flags : {0x0000, 0x0100, 0x8000, 0x8180, 0x8403, 0x8104}) {
      message[2] = static_cast<std::byte>(flags >> 8), message[3] = static_cast<std::byte>(flags);
      const bool is_query = flags < 0x8000;
      for (const std::uint16_t port : tunnel_ports) {
        int lost = 0;
        for (int id = 0; id < 0x10000; ++id) {
          message[0] = static_cast<std::byte>(id >> 8), message[1] = static_cast<std::byte>(id);
          lost += is_query ? is_tunnel(message, port, 53) : is_tunnel(message, 53, port);
        }
        EXPECT_EQ(lost, 0) << port << " flags " << flags << ' ' << name;
      }
    }
  }
}

TEST(Tunnels, RandomBytesAreRarelyOne) {
  // Such as QUIC.  All that a tunnel's header says is 16 to 32 bits, some of them free; and one in
  // a thousand has a length there that fits.
  constexpr int payloads = 20'000, at_most_by_all = 3, at_most_by_header = 60;
  std::mt19937 random{11};
  std::vector<Bytes> all(payloads);
  for (Bytes& payload : all) {
    payload.resize(40 + random() % 1200);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
  }
  for (const std::uint16_t port : tunnel_ports) {
    const auto taken_from = [&](std::uint16_t source) {
      return std::ranges::count_if(all, [&](const Bytes& b) { return is_tunnel(b, source, port); });
    };
    EXPECT_LE(taken_from(443), at_most_by_all) << port;
    EXPECT_LE(taken_from(8443), at_most_by_header) << port;
  }
}

TEST(Tunnels, NtpFromATunnelsPortIsNtp) {
  for (const std::uint16_t port : tunnel_ports)
    for (const int leap_and_version : {0x00, 0x08, 0x10, 0x18, 0x20, 0xc0, 0xe0}) {
      Bytes answer = ntp(NtpMode::server, 1, 2);
      answer[0] = static_cast<std::byte>(leap_and_version | 4);
      const Bytes packet = in_udp_from(123, port, answer);
      EXPECT_EQ(summary_of(packet, LinkType::raw).content, Content::ntp_response) << port;
    }
}

TEST(Tunnels, TheSourcePortSaysNothingWhereItIsRandomByDesign) {
  for (const std::uint16_t port : std::array<std::uint16_t, 3>{4789, 8472, 4790}) {
    const Bytes payload = vxlan(0, ethernet(EtherType::ipv4, inner));
    EXPECT_EQ(to_port(port, payload).summary.value().content, Content::tcp);
    EXPECT_NE(parse(in_udp_from(port, 50000, payload), LinkType::raw).summary.value().content,
              Content::tcp);
  }
  const Bytes packet = in_udp_from(2152, 50000, gtp(0x30, {}, inner));
  EXPECT_EQ(summary_of(packet, LinkType::raw).content, Content::tcp);
}

TEST(Tunnels, AServerOfAWellKnownPortMayTunnelIfAllFits) {
  const Bytes payload = vxlan(0, ethernet(EtherType::ipv4, inner));
  EXPECT_EQ(to_port(4789, payload, 1023).summary.value().content, Content::tcp);
  // There a header alone is not enough; elsewhere it is.
  const Bytes unknown = vxlan(0, zeros(12) + bytes_of({0x12, 0x34}) + zeros(30));
  EXPECT_EQ(to_port(4789, unknown, 1024).skip, Skip::unknown_ethertype);
  EXPECT_NE(to_port(4789, unknown, 1023).skip, Skip::unknown_ethertype);
}

TEST(Tunnels, WhatVxlanGpeCarriesIsReadOrCounted) {
  EXPECT_EQ(to_port(4790, vxlan(1, inner)).summary.value().content, Content::tcp);
  const Bytes six = ipv6({}, IpProtocol::tcp, tcp({}));
  EXPECT_TRUE(to_port(4790, vxlan(2, six)).summary.value().is_ipv6);
  EXPECT_EQ(to_port(4790, vxlan(4, service_header(1, inner))).summary.value().content,
            Content::tcp);
  EXPECT_EQ(to_port(4790, vxlan(9, inner)).skip, Skip::unknown_ethertype);
  EXPECT_EQ(to_port(4790, vxlan(4, service_header(9, inner))).skip, Skip::unknown_ethertype);
  EXPECT_EQ(to_port(4790, vxlan(4, bytes_of({0x0f, 0xc1, 1, 1}) + inner)).skip, Skip::bad_tunnel)
      << "a length of one word";
  EXPECT_EQ(to_port(4790, vxlan(4, bytes_of({0x0f, 0xff, 1, 1}) + zeros(40))).skip,
            Skip::truncated_tunnel);
  EXPECT_EQ(to_port(4790, vxlan(4, bytes_of({0x0f, 0xc6}))).skip, Skip::truncated_tunnel);
}

/// The result for a datagram to this port, and the result after one of its bytes is changed.
void expect_change(std::uint16_t port, Bytes payload, std::size_t at, int value, const char* what) {
  ASSERT_TRUE(to_port(port, payload).summary) << what;
  EXPECT_EQ(to_port(port, payload).summary->content, Content::tcp) << what;
  payload.at(at) = static_cast<std::byte>(value);
  const Outcome outcome = to_port(port, payload);
  EXPECT_FALSE(outcome.summary && outcome.summary->content == Content::tcp) << what;
}

TEST(Tunnels, AHeaderThatContradictsItsFormatIsPlainUdp) {
  const Bytes frame = ethernet(EtherType::ipv4, inner), six = ipv6({}, IpProtocol::tcp, tcp({}));
  expect_change(4789, vxlan(0, frame), 0, 0x00, "VXLAN without identifier");
  expect_change(4790, vxlan(1, inner), 0, 0x1c, "VXLAN-GPE of another version");
  expect_change(6081, bytes_of({0, 0, 8, 0, 0, 0, 0, 0}) + inner, 0, 0x40, "GENEVE version 1");
  expect_change(6081, bytes_of({0, 0, 8, 0, 0, 0, 0, 0}) + inner, 2, 0x05, "GENEVE type 0x0500");
  expect_change(6081, bytes_of({0, 0, 8, 0, 0, 0, 0, 0}) + inner, 0, 0x3f, "GENEVE options");
  expect_change(2152, gtp(0x30, {}, inner), 0, 0x50, "GTP version 2");
  expect_change(2152, gtp(0x30, {}, inner), 3, 0xff, "GTP beyond the datagram");
  expect_change(1701, l2tp(0, zeros(4), bytes_of({0, 0x21}) + inner), 1, 3, "L2TP version 3");
  expect_change(1701, l2tp(0, zeros(4), bytes_of({0, 0x21}) + inner), 0, 0x60, "L2TP reserved");
  expect_change(3544, six, 0, 0x50, "Teredo without IPv6");
  expect_change(3544, six, 5, 0xff, "Teredo beyond the datagram");
  const Bytes ayiya = bytes_of({0x41, 0x52, 1, 41, 0, 0, 0, 0}) + zeros(16 + 20) + six;
  expect_change(5072, ayiya, 2, 2, "AYIYA echo request");
  expect_change(5072, ayiya, 3, 99, "AYIYA of another protocol");
  expect_change(5072, ayiya, 44, 0x50, "AYIYA without IPv6");
  expect_change(5072, ayiya, 48, 0xff, "AYIYA beyond the datagram");
  expect_change(6635, labels(inner), 8, 0x55, "MPLS without IP");
  expect_change(6635, labels(inner), 10, 0xff, "MPLS with IPv4 beyond the datagram");
  expect_change(6635, labels(six), 8, 0x50, "MPLS without IPv6");
  expect_change(6635, labels(six), 12, 0xff, "MPLS with IPv6 beyond the datagram");
  expect_change(6635, labels(frame), 20, 0x12, "MPLS with an unknown EtherType");
  expect_change(6635, labels(zeros(4) + frame), 24, 0x12, "... behind a control word");
}

TEST(Tunnels, ControlMessagesAndKeepAlivesAreNotIp) {
  EXPECT_EQ(to_port(2152, bytes_of({0x32, 1, 0, 4}) + zeros(8)).skip, Skip::not_ip) << "GTP echo";
  EXPECT_EQ(to_port(1701, bytes_of({0xc8, 2, 0, 12}) + zeros(8)).skip, Skip::not_ip) << "L2TP";
  const Bytes beat = bytes_of({0x41, 0x52, 1, 59, 0, 0, 0, 0}) + zeros(16 + 20);
  EXPECT_EQ(to_port(5072, beat).skip, Skip::not_ip) << "AYIYA";
}

TEST(Tunnels, GtpExtensionsMustFit) {
  const auto extended = [](const Bytes& extensions) {
    return to_port(2152, gtp(0x34, bytes_of({0, 0, 0, 0x85}) + extensions, inner));
  };
  EXPECT_EQ(extended(bytes_of({1, 0, 0, 0})).summary.value().content, Content::tcp);
  EXPECT_EQ(extended(bytes_of({2, 0, 0, 0, 0, 0, 0, 0x85, 1, 0, 0, 0})).summary.value().content,
            Content::tcp);
  EXPECT_EQ(extended(bytes_of({0, 0, 0, 0})).skip, Skip::bad_tunnel);
  EXPECT_EQ(extended(bytes_of({255, 0, 0, 0})).skip, Skip::truncated_tunnel);
  Bytes endless;
  for (int i = 0; i < 9; ++i) endless = endless + bytes_of({1, 0, 0, 0x85});
  EXPECT_EQ(extended(endless).skip, Skip::too_deep);
}

TEST(Tunnels, WhatOnlyTheLengthMakesATunnelIsPlainUdp) {
  const Bytes message = zeros(8);
  const auto gtp_of = [&](int flags, int type, int length, int tunnel) {
    return bytes_of({flags, type, 0, length, 0, 0, 0, tunnel}) + message;
  };
  EXPECT_TRUE(is_tunnel(gtp_of(0x32, 1, 8, 0), 1023, 2152)) << "GTP echo";
  EXPECT_FALSE(is_tunnel(gtp_of(0x32, 1, 7, 0), 50000, 2152)) << "... of another length";
  EXPECT_FALSE(is_tunnel(gtp_of(0x32, 3, 8, 0), 50000, 2152)) << "no message of GTP";
  EXPECT_TRUE(is_tunnel(gtp_of(0x30, 254, 8, 5), 50000, 2152)) << "GTP end marker";
  EXPECT_FALSE(is_tunnel(gtp_of(0x30, 254, 8, 5), 1023, 2152)) << "... needs its port";
  EXPECT_TRUE(is_tunnel(gtp_of(0x30, 255, 8, 5), 50000, 2152)) << "GTP with something else";
  EXPECT_FALSE(is_tunnel(gtp_of(0x30, 255, 8, 5), 1023, 2152)) << "... needs its port";

  const auto control = [](int flags, const Bytes& rest) {
    return bytes_of({flags, 2, 0, static_cast<int>(12 + rest.size())}) + zeros(8) + rest;
  };
  const Bytes type = bytes_of({0x80, 8, 0, 0, 0, 0, 0, 1});
  EXPECT_TRUE(is_tunnel(control(0xc8, {}), 1023, 1701)) << "L2TP acknowledgment";
  EXPECT_TRUE(is_tunnel(control(0xc8, type), 1023, 1701)) << "L2TP message";
  EXPECT_FALSE(is_tunnel(control(0xc8, bytes_of({0, 8, 0, 0, 0, 9}) + type), 50000, 1701))
      << "... that begins with another attribute";
  EXPECT_FALSE(is_tunnel(control(0xca, type), 50000, 1701)) << "... with an offset";
  EXPECT_FALSE(is_tunnel(control(0x88, type), 50000, 1701)) << "... without a length";
  const auto ppp_of = [](int first, int second) {
    return l2tp(0, zeros(4), bytes_of({first, second, 1, 1, 0, 4}));
  };
  EXPECT_TRUE(is_tunnel(ppp_of(0xc0, 0x21), 50000, 1701)) << "PPP link control";
  EXPECT_FALSE(is_tunnel(ppp_of(0xc0, 0x20), 50000, 1701)) << "no protocol of PPP";
}

/// Every layer that is IP in IP, around a packet that it can carry.
template <class Check>
void for_tunnels(Check&& check) {
  const Carried four{Form::ipv4, inner}, six{Form::ipv6, ipv6({}, IpProtocol::tcp, tcp({}))};
  for (const Wrapping& layer : wrappings()) {
    for (const Carried& packet :
         {four, six, Carried{Form::frame, ethernet(EtherType::ipv4, inner)}}) {
      if (!layer.fits(packet.form)) continue;
      const Carried outer = layer.wrap(packet);
      if (outer.form == Form::frame) continue;
      SCOPED_TRACE(layer.name);
      check(layer, outer);
    }
  }
}

TEST(Tunnels, ATunnelCutAnywhereIsStillATunnel) {
  const auto check = [](const Wrapping& layer, const Carried& outer) {
    constexpr std::size_t headers = sizeof(Ipv4Header) + sizeof(UdpHeader);
    if (outer.form != Form::ipv4 || std::to_integer<unsigned>(outer.bytes.at(9)) != 17) return;
    const std::span payload = std::span{outer.bytes}.subspan(headers);
    const auto port = load_network<std::uint16_t>(outer.bytes.data() + 22);
    for (std::size_t captured = 0; captured <= payload.size(); ++captured)
      EXPECT_TRUE(udp_tunnel(Cursor{payload.first(captured), payload.size()}, payload.size(), 50000,
                             port) != nullptr)
          << layer.name << " cut at " << captured;
  };
  for_tunnels(check);
}

TEST(Tunnels, TeredoTrailersAreAllowed) {
  const Bytes six = ipv6({}, IpProtocol::tcp, tcp({}));
  EXPECT_EQ(to_port(3544, six + zeros(4)).summary.value().content, Content::tcp);
}

TEST(Tunnels, CutHeadersGetTheBenefitOfTheDoubt) {
  for (const std::uint16_t port : tunnel_ports) {
    const Bytes bytes = in_udp_from(50000, port, zeros(100));
    Packet packet = packet_of(bytes, LinkType::raw);
    packet.captured = 28;
    const auto skip = parse(packet).skip;
    EXPECT_TRUE(skip == Skip::truncated_tunnel || skip == Skip::truncated_link) << port;
  }
}

TEST(Tunnels, OverIpTheirHeadersAreChecked) {
  const auto over_ip = [](IpProtocol protocol, const Bytes& payload) {
    return parse(ipv4({}, protocol, payload), LinkType::raw);
  };
  const Bytes frame = ethernet(EtherType::ipv4, inner);
  EXPECT_TRUE(over_ip(IpProtocol::ether_ip, bytes_of({0x30, 0}) + frame).summary);
  EXPECT_EQ(over_ip(IpProtocol::ether_ip, bytes_of({0x20, 0}) + frame).skip, Skip::bad_tunnel);
  EXPECT_EQ(over_ip(IpProtocol::ether_ip, bytes_of({0x30})).skip, Skip::truncated_tunnel);
  EXPECT_TRUE(over_ip(IpProtocol::ethernet, frame).summary);
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(2, 0x0800, 0) + inner).skip, Skip::bad_tunnel);
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(0x4000, 0x0800, 4) + inner).skip, Skip::bad_tunnel)
      << "source route";
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(0, 0, 0)).skip, Skip::not_ip) << "keep-alive";
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(0x2000, 0x0800, 2)).skip, Skip::truncated_tunnel);
  EXPECT_EQ(over_ip(IpProtocol::gre, bytes_of({0, 0})).skip, Skip::truncated_tunnel);
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(0x1001, 0x880b, 4)).skip, Skip::bad_tunnel)
      << "PPTP without key";
  EXPECT_EQ(over_ip(IpProtocol::gre, gre(0x2081, 0x880b, 8)).skip, Skip::not_ip)
      << "PPTP acknowledgment alone";
  EXPECT_EQ(over_ip(IpProtocol{200}, frame).skip, Skip::unknown_protocol);
}

TEST(Tunnels, EveryRowOfTheRegistryIsInTheTestLayers) {
  std::set<unsigned> protocols, ports;
  for_tunnels([&](const Wrapping&, const Carried& outer) {
    const unsigned protocol =
        std::to_integer<unsigned>(outer.bytes.at(outer.form == Form::ipv4 ? 9 : 6));
    protocols.insert(protocol);
    if (outer.form == Form::ipv4 &&
        IpProtocol{static_cast<std::uint8_t>(protocol)} == IpProtocol::udp)
      ports.insert(load_network<std::uint16_t>(outer.bytes.data() + 22));
  });
  for (const unsigned port : tunnel_ports) EXPECT_TRUE(ports.contains(port)) << port;
  for (unsigned protocol = 0; protocol < 256; ++protocol)
    EXPECT_TRUE(tunnel_of(IpProtocol{static_cast<std::uint8_t>(protocol)}).is_skipped() ||
                protocols.contains(protocol))
        << protocol;
}

std::string tunnel_of_frame(const Carried& outer) {
  const Summary summary = summary_of(outer.bytes, LinkType::raw);
  return tunnel_name(summary);
}

TEST(TunnelName, SaysKindIdentifierAndEndsAlikeInBothDirections) {
  const Bytes frame = ethernet(EtherType::ipv4, inner);
  const Bytes network = bytes_of({8, 0, 0, 0, 0, 0x13, 0x88, 0}) + frame;
  EXPECT_EQ(tunnel_of_frame(in_udp(4789, network)), "vxlan 5000 10.0.0.1 - 10.0.0.2");
  constexpr Ends back{0x0a000002, 0x0a000001, 50000, 0};
  EXPECT_EQ(tunnel_of_frame({Form::ipv4, ipv4(back, IpProtocol::udp, udp(50000, 4789, network))}),
            "vxlan 5000 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(tunnel_of_frame(in_udp(6081, geneve({Form::ipv4, inner}))),
            "geneve 0 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(tunnel_of_frame(in_udp(2152, gtp(0x30, {}, inner))), "gtp 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(tunnel_of_frame(in_ipv4(IpProtocol::ipv4, inner)), "ip 10.0.0.1 - 10.0.0.2");
  const Bytes keyed = bytes_of(GreHeader{GreHeader::has_key | GreHeader::has_checksum, 0x0800}) +
                      zeros(4) + bytes_of({0, 0, 1, 2}) + inner;
  EXPECT_EQ(tunnel_of_frame(in_ipv4(IpProtocol::gre, keyed)), "gre 258 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(tunnel_of_frame(in_ipv4(IpProtocol::gre, gre(0, 0x0800, 0) + inner)),
            "gre 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(tunnel_of_frame({Form::ipv4, inner}), "");
}

TEST(TunnelName, OfEveryTunnelIsThatOfItsRow) {
  for_tunnels([](const Wrapping& layer, const Carried& outer) {
    std::string name = tunnel_of_frame(outer);
    for (int word = 0; word < 3; ++word) name.resize(name.rfind(' '));  // "10.0.0.1 - 10.0.0.2"
    EXPECT_FALSE(layer.tunnel.empty());
    EXPECT_EQ(name, layer.tunnel);
  });
}

TEST(TunnelName, IsThatOfTheTunnelThatWasRecognised) {
  // The other port is a client's and belongs to another tunnel's list only by chance.
  const Bytes six = ipv6({}, IpProtocol::tcp, tcp({}));
  const auto named = [](std::uint16_t source, std::uint16_t destination, const Bytes& payload) {
    return tunnel_of_frame(
        {Form::ipv4, ipv4(outer_ends, IpProtocol::udp, udp(source, destination, payload))});
  };
  EXPECT_EQ(named(3544, 4789, six), "teredo 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(named(2152, 6635, gtp(0x30, {}, inner)), "gtp 10.0.0.1 - 10.0.0.2");
  EXPECT_EQ(named(3544, 2152, six), "teredo 10.0.0.1 - 10.0.0.2");
}

TEST(TunnelName, IsFoundBehindAnAuthenticationHeader) {
  // Next header, length in words less two, then index, sequence number and a check value of 12
  // bytes.
  const Bytes authentication = bytes_of({4, 4, 0, 0}) + zeros(20);
  EXPECT_EQ(tunnel_of_frame(in_ipv4(IpProtocol::authentication, authentication + inner)),
            "ip 10.0.0.1 - 10.0.0.2");
}

TEST(TunnelName, IsThatOfTheOutermost) {
  Carried packet{Form::ipv4, inner};
  packet = in_ipv4(IpProtocol::ipv4, packet.bytes);
  packet = in_ipv4(IpProtocol::gre, gre(0, 0x0800, 0) + packet.bytes);
  EXPECT_EQ(tunnel_of_frame(packet), "gre 10.0.0.1 - 10.0.0.2");
  for (int i = 0; i < 7; ++i)
    packet = in_ipv4(IpProtocol::gre, gre(0xb000, 0x0800, 12) + packet.bytes);
  EXPECT_EQ(tunnel_of_frame(packet), "tunnels within tunnels") << "not found again";
}

}  // namespace
}  // namespace sojourn
