#include "wire/parser.h"

#include <array>
#include <cstring>
#include <random>

#include "wire/flow_hash.h"
#include "wire/summarize.h"
#include "wire/test_parse.h"

namespace sojourn {
namespace {

using namespace test;

const Ends ends;

Bytes tcp_frame(const Segment& segment = {}) {
  return ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::tcp, tcp(ends, segment)));
}
Bytes udp_frame(std::uint16_t port, const Bytes& payload) {
  return ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::udp, udp(40000, port, payload)));
}
void set(Bytes& bytes, std::size_t at, int value) { bytes.at(at) = static_cast<std::byte>(value); }

KindSet only(Kind kind) {
  KindSet kinds = KindSet::none();
  kinds.add(kind);
  return kinds;
}

constexpr std::size_t ip_at = 14, tcp_at = 34, udp_at = 34;

TEST(Parser, SummarizesTcpOverIpv4) {
  const Bytes bytes = tcp_frame({.options = aligned_timestamps(11, 22), .payload = 100});
  const Summary summary = summary_of(bytes);
  EXPECT_EQ(summary.time, timestamp_from_ns(5));
  EXPECT_EQ(summary.index, 9u);
  EXPECT_EQ(summary.content, Content::tcp);
  EXPECT_EQ(summary.source().to_string(), "192.0.2.1");
  EXPECT_EQ(summary.destination().to_string(), "198.51.100.2");
  EXPECT_EQ(summary.source_port, 40000);
  EXPECT_EQ(summary.destination_port, 443);
  EXPECT_EQ(summary.sequence, 1000u);
  EXPECT_EQ(summary.acknowledgment, 2000u);
  EXPECT_EQ(summary.tcp_flags, tcp_ack | tcp_push);
  EXPECT_EQ(summary.window, 512);
  EXPECT_TRUE(summary.has_timestamps);
  EXPECT_EQ(summary.ts_value, 11u);
  EXPECT_EQ(summary.ts_echo, 22u);
  EXPECT_EQ(summary.payload, 100u);
  EXPECT_EQ(summary.payload_offset, 52);
  EXPECT_EQ(summary.ip_captured, 152);
  EXPECT_EQ(summary.vlan, Sample::no_vlan);
}

TEST(Parser, SummarizesIpv6) {
  const Bytes bytes = ethernet(EtherType::ipv6, ipv6(ends, IpProtocol::tcp, tcp(ends)));
  const Summary summary = summary_of(bytes);
  EXPECT_TRUE(summary.is_ipv6);
  EXPECT_EQ(summary.source().to_string(), "2001:db8::c000:201");
  EXPECT_EQ(summary.payload, 10u);
  EXPECT_EQ(summary.payload_offset, 60);
}

// The fast path is an optimisation: the general path must agree on each packet it accepts.
TEST(Parser, StraightPathAgreesWithTheGeneralOne) {
  std::mt19937 random{3};
  const Wanted wanted{KindSet::all()};
  for (int round = 0; round < 20000; ++round) {
    const Segment segment{
        .options = round % 3 == 0 ? aligned_timestamps(1, 2) : zeros(random() % 11 * 4),
        .payload = random() % 20};
    const bool six = random() % 2 == 0, raw = random() % 4 == 0;
    Bytes bytes = six ? ipv6(ends, IpProtocol::tcp, tcp(ends, segment))
                      : ipv4(ends, IpProtocol::tcp, tcp(ends, segment));
    if (!raw) bytes = ethernet(six ? EtherType::ipv6 : EtherType::ipv4, bytes);
    if (!raw && random() % 4 == 0) {
      const Bytes tag = bytes_of({0x81, 0, 0x60, 9});
      bytes.insert(bytes.begin() + 12, tag.begin(), tag.end());
    }
    for (unsigned changes = random() % 4; changes > 0; --changes)
      set(bytes, random() % bytes.size(), static_cast<int>(random() % 256));
    Packet packet = packet_of(bytes, raw ? LinkType::raw : LinkType::ethernet);
    packet.captured -= static_cast<std::uint32_t>(random() % 4 == 0 ? random() % bytes.size() : 0);
    Summary general;
    const auto skip = summarize(packet, test_key, wanted, general);
    const Outcome outcome = parse(packet);
    ASSERT_EQ(skip, outcome.skip);
    if (!outcome.summary) continue;
    general.index = outcome.summary->index;
    expect_same_content(general, *outcome.summary);
    ASSERT_EQ(general.ip, outcome.summary->ip);
    ASSERT_EQ(general.vlan, outcome.summary->vlan);
  }
}

/// Summaries are written over those of the batch before.
TEST(Parser, StraightPathLeavesNothingOfWhatStoodThere) {
  const std::array frames{tcp_frame(), tcp_frame({.options = aligned_timestamps(1, 2)}),
                          ethernet(EtherType::ipv6, ipv6(ends, IpProtocol::tcp, tcp(ends, {})))};
  for (const Bytes& frame : frames) {
    const Packet packet = packet_of(frame);
    Summary general, before;
    ASSERT_FALSE(summarize(packet, test_key, Wanted{KindSet::all()}, general));
    std::memset(static_cast<void*>(&before), 0xff, sizeof before);
    std::array out{before};
    ASSERT_EQ((Parser{test_key, KindSet::all()}.summarize({&packet, 1}, out, 0)), 1u);
    EXPECT_EQ(std::memcmp(&out[0], &general, sizeof general), 0);
  }
}

TEST(Parser, BatchesKeepOrderAndIndex) {
  const Bytes one = tcp_frame({.sequence = 1}), arp = ethernet(EtherType::arp, zeros(46)),
              two = tcp_frame({.sequence = 2});
  const std::array packets{packet_of(one), packet_of(arp), packet_of(two)};
  std::array<Summary, 3> out;
  Parser parser{test_key, KindSet::all()};
  ASSERT_EQ(parser.summarize(packets, out, 100), 2u);
  EXPECT_EQ(out[0].sequence, 1u);
  EXPECT_EQ(out[0].index, 100u);
  EXPECT_EQ(out[1].sequence, 2u);
  EXPECT_EQ(out[1].index, 102u);
  EXPECT_EQ(parser.skipped()[Skip::not_ip], 1u);
  EXPECT_EQ(parser.skipped().total(), 1u);
}

TEST(Parser, DealsToEachShardItsFlowsInOrder) {
  // TCP takes the fast path, DNS the general one; both skip a stray frame.
  std::vector<Bytes> frames;
  for (std::uint16_t i = 0; i < 200; ++i) {
    const Ends some{.source_port = static_cast<std::uint16_t>(40000 + i % 50)};
    frames.push_back(ethernet(EtherType::ipv4, ipv4(some, IpProtocol::tcp, tcp(some))));
    if (i % 3 == 0) frames.push_back(udp_frame(123, Bytes(48, std::byte{0x23})));
    if (i % 7 == 0) frames.push_back(Bytes(20));
  }
  std::vector<Packet> packets;
  for (const Bytes& frame : frames) packets.push_back(packet_of(frame));
  Parser together{test_key, KindSet::all()}, apart{test_key, KindSet::all()};
  std::vector<Summary> all(packets.size());
  all.resize(together.summarize(packets, all, 7));

  constexpr std::size_t shards = 3;
  std::vector<std::vector<Summary>> lists(shards, std::vector<Summary>(packets.size()));
  std::vector<Summary*> ends_of_lists;
  for (auto& list : lists) ends_of_lists.push_back(list.data());
  apart.deal(packets, ends_of_lists, 7, 0);

  EXPECT_EQ(apart.skipped().total(), together.skipped().total());
  std::vector<std::size_t> next(shards);
  for (const Summary& summary : all) {
    const std::size_t shard = shard_of(summary.flow, shards);
    const Summary& dealt = lists[shard].at(next[shard]++);
    expect_same_content(dealt, summary);
    EXPECT_EQ(dealt.ip, summary.ip);
  }
  for (std::size_t shard = 0; shard < shards; ++shard) {
    EXPECT_EQ(ends_of_lists[shard], lists[shard].data() + next[shard]);
    EXPECT_GT(next[shard], 0u) << "else the test shows little";
  }
}

TEST(Parser, PayloadIsCountedByTheIpLength) {
  const Bytes whole = tcp_frame({.payload = 3});
  EXPECT_EQ(summary_of(whole + zeros(20)).payload, 3u) << "Ethernet padding is not payload";
  EXPECT_EQ(summary_of(whole + zeros(20)).ip_captured, 43);

  const Bytes bytes = tcp_frame({.options = aligned_timestamps(1, 2), .payload = 1000});
  Packet snapped = packet_of(bytes);
  snapped.captured = 54;  // TCP's first 20 bytes are there, its options are not
  const auto summary = parse(snapped).summary;
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->payload, 1000u);
  EXPECT_FALSE(summary->has_timestamps);
  snapped.captured = 53;
  EXPECT_EQ(parse(snapped).skip, Skip::truncated_transport);
}

TEST(Parser, OffloadedPacketsAreAsLongAsTheWireSays) {
  Bytes bytes = tcp_frame({.payload = 400});
  set(bytes, ip_at + 2, 0);
  set(bytes, ip_at + 3, 0);
  Packet packet = packet_of(bytes);
  packet.captured = 100;
  EXPECT_EQ(parse(packet).summary.value().payload, 400u);

  Bytes six = ethernet(EtherType::ipv6, ipv6(ends, IpProtocol::tcp, tcp(ends, {.payload = 500})));
  set(six, ip_at + 4, 0);
  set(six, ip_at + 5, 0);
  EXPECT_EQ(summary_of(six).payload, 500u);
}

TEST(Parser, OuterLengthsBoundWhatHasNone) {
  const Bytes datagram = udp(40000, 443, bytes_of({0x60}) + zeros(30));
  const Bytes trailed = ipv4(ends, IpProtocol::udp, datagram + zeros(9));
  EXPECT_EQ(summary_of(trailed, LinkType::raw).payload, 31u) << "the UDP length ends the datagram";

  Bytes offloaded = ipv4(ends, IpProtocol::tcp, tcp(ends, {.payload = 50}));
  set(offloaded, 2, 0);
  set(offloaded, 3, 0);
  const Bytes llc = bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8, 0}) + offloaded;
  const Bytes padded = ethernet(static_cast<std::uint16_t>(llc.size()), llc + zeros(12));
  EXPECT_EQ(summary_of(padded).payload, 50u) << "the IEEE 802.3 length ends the frame";
}

TEST(Parser, BelievesAnIpLengthBeyondTheFrame) {
  Bytes bytes = tcp_frame({.payload = 10});
  set(bytes, ip_at + 2, 5);  // 0x05.. = 1280 and more
  EXPECT_EQ(summary_of(bytes).payload, 1280u + 10u);
}

TEST(Parser, ImpossibleLengthsHaveTheirCounters) {
  Bytes bytes = tcp_frame();
  set(bytes, tcp_at + 12, 0x40);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_tcp_offset) << "data offset of 16 bytes";
  set(bytes, tcp_at + 12, 0xf0);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_tcp_offset) << "header longer than the packet";

  bytes = tcp_frame();
  set(bytes, ip_at, 0x44);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_ip_length) << "header of 16 bytes";
  set(bytes, ip_at, 0x55);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_ip_version);
  bytes = tcp_frame();
  set(bytes, ip_at + 3, 19);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_ip_length) << "total length below the header";

  bytes = udp_frame(443, bytes_of({0x40}) + zeros(40));
  EXPECT_TRUE(parse(bytes).summary);
  set(bytes, udp_at + 5, 7);
  EXPECT_EQ(parse(bytes).skip, Skip::bad_udp_length);
}

TEST(Parser, Ipv4OptionsAreSteppedOver) {
  Bytes packet = ipv4(ends, IpProtocol::tcp, zeros(8) + tcp(ends));
  set(packet, 0, 0x47);
  const Summary summary = summary_of(packet, LinkType::raw);
  EXPECT_EQ(summary.payload_offset, 48);
  EXPECT_EQ(summary.payload, 10u);
}

TEST(Parser, FirstFragmentsAreReadAndOthersCounted) {
  Bytes bytes = tcp_frame();
  set(bytes, ip_at + 6, 0x20);
  EXPECT_TRUE(summary_of(bytes).first_fragment);
  set(bytes, ip_at + 7, 1);
  EXPECT_EQ(parse(bytes).skip, Skip::fragment);

  // A fragmented tunnel packet: the inner packet is whole.
  Bytes outer =
      ipv4(ends, IpProtocol::ipv6, ipv6(ends, IpProtocol::tcp, tcp(ends, {.payload = 99})));
  set(outer, 6, 0x20);
  set(outer, 3, 20 + 40 + 20 + 8);
  EXPECT_FALSE(summary_of(outer, LinkType::raw).first_fragment);
  EXPECT_EQ(summary_of(outer, LinkType::raw).payload, 99u);

  const auto fragmented = [](std::uint16_t offset_and_more) {
    const Ipv6Fragment header{.next_header = IpProtocol::tcp, .offset_and_more = offset_and_more};
    return ipv6(ends, IpProtocol::fragment, bytes_of(header) + tcp(ends));
  };
  EXPECT_TRUE(summary_of(fragmented(1), LinkType::raw).first_fragment);
  EXPECT_FALSE(summary_of(fragmented(0), LinkType::raw).first_fragment);
  EXPECT_EQ(parse(fragmented(8), LinkType::raw).skip, Skip::fragment);
}

TEST(Parser, Ipv6ExtensionHeadersAreSteppedOver) {
  const auto extension = [](IpProtocol next, const Bytes& rest) {
    return bytes_of({static_cast<int>(next), 1}) + zeros(14) + rest;
  };
  const Bytes authenticated = bytes_of({6, 4}) + zeros(22) + tcp(ends);
  const Bytes chain = extension(IpProtocol::routing,
                                extension(IpProtocol::destination_options,
                                          extension(IpProtocol::authentication, authenticated)));
  const Summary summary = summary_of(ipv6(ends, IpProtocol::hop_by_hop, chain), LinkType::raw);
  EXPECT_EQ(summary.content, Content::tcp);
  EXPECT_EQ(summary.payload_offset, 40 + 3 * 16 + 24 + 20);
  EXPECT_EQ(summary.payload, 10u);

  Bytes endless;
  for (int i = 0; i < 13; ++i) endless = endless + bytes_of({60, 0}) + zeros(6);
  EXPECT_EQ(parse(ipv6(ends, IpProtocol::hop_by_hop, endless), LinkType::raw).skip, Skip::too_deep);
  EXPECT_EQ(parse(ipv6(ends, IpProtocol::esp, zeros(40)), LinkType::raw).skip, Skip::encrypted);
  EXPECT_EQ(parse(ipv6(ends, IpProtocol::no_next, {}), LinkType::raw).skip, Skip::not_paired);
}

TEST(Parser, TheOutermostVlanCounts) {
  const Bytes inner = ipv4(ends, IpProtocol::tcp, tcp(ends));
  const Bytes one = ethernet(EtherType::vlan, bytes_of({0xe0, 0x64, 8, 0}) + inner);
  EXPECT_EQ(summary_of(one).vlan, 100);
  const Bytes two =
      ethernet(EtherType::provider_vlan, bytes_of({0, 7, 0x81, 0, 0, 8, 8, 0}) + inner);
  EXPECT_EQ(summary_of(two).vlan, 7);
}

TEST(Parser, PairsEchoes) {
  const Summary request =
      summary_of(ipv4(ends, IpProtocol::icmp, echo(8, 0x1234, 7)), LinkType::raw);
  const Summary reply =
      summary_of(ipv4(ends.swapped(), IpProtocol::icmp, echo(0, 0x1234, 7)), LinkType::raw);
  EXPECT_EQ(request.content, Content::icmp_request);
  EXPECT_EQ(reply.content, Content::icmp_reply);
  EXPECT_EQ(request.token(), 0x12340007u);
  EXPECT_EQ(request.token(), reply.token());
  EXPECT_EQ(request.flow, reply.flow);
  EXPECT_EQ(request.source_port, 0);
}

TEST(Parser, PacketsQuotedInErrorsAreNotTraffic) {
  const Bytes quoted = ipv4(ends, IpProtocol::tcp, tcp(ends));
  EXPECT_EQ(parse(ipv4(ends, IpProtocol::icmp, echo(3, 0, 0) + quoted), LinkType::raw).skip,
            Skip::not_paired);
  const Bytes quoted6 = ipv6(ends, IpProtocol::tcp, tcp(ends));
  EXPECT_EQ(parse(ipv6(ends, IpProtocol::icmpv6, echo(1, 0, 0) + quoted6), LinkType::raw).skip,
            Skip::not_paired);
}

TEST(Parser, PairsNtpByTheEchoedTimestamp) {
  const Summary request = summary_of(udp_frame(123, ntp(NtpMode::client, 1, 0xabcdef0123456789u)));
  const Summary response = summary_of(udp_frame(123, ntp(NtpMode::server, 0xabcdef0123456789u, 2)));
  EXPECT_EQ(request.content, Content::ntp_request);
  EXPECT_EQ(response.content, Content::ntp_response);
  EXPECT_EQ(request.token(), response.token());
  EXPECT_EQ(summary_of(udp_frame(123, ntp(NtpMode::symmetric_active, 1, 2))).token(), 2u);
  EXPECT_EQ(summary_of(udp_frame(123, ntp(NtpMode::symmetric_passive, 1, 2))).token(), 1u);
  EXPECT_EQ(parse(udp_frame(123, ntp(NtpMode{6}, 1, 2))).skip, Skip::not_paired)
      << "control message";
  EXPECT_EQ(parse(udp_frame(123, zeros(12))).skip, Skip::not_paired) << "too short for NTP";
}

TEST(Parser, ReadsDnsOnEitherPort) {
  const Summary query = summary_of(udp_frame(53, dns(9, false, "example.org")));
  EXPECT_EQ(query.content, Content::dns_query);
  EXPECT_EQ(query.payload_offset, 28);
  const Bytes answer = ethernet(EtherType::ipv4, ipv4(ends.swapped(), IpProtocol::udp,
                                                      udp(53, 40000, dns(9, true, "EXAMPLE.org"))));
  const Summary response = summary_of(answer);
  EXPECT_EQ(response.content, Content::dns_response);
  EXPECT_EQ(query.token(), response.token());
  EXPECT_EQ(query.flow, response.flow);
  EXPECT_NE(query.source_is_low, response.source_is_low);
}

TEST(Parser, ReadsQuicHeaders) {
  const Summary initial = summary_of(udp_frame(443, bytes_of({0xc0, 0, 0, 0, 1, 8}) + zeros(60)));
  EXPECT_EQ(initial.content, Content::quic_long);
  EXPECT_TRUE(initial.quic_initial);
  const Summary spinning = summary_of(udp_frame(443, bytes_of({0x60}) + zeros(30)));
  EXPECT_EQ(spinning.content, Content::quic_short);
  EXPECT_TRUE(spinning.quic_spin);
  EXPECT_EQ(parse(udp_frame(3478, bytes_of({0x60}) + zeros(30))).skip, Skip::not_paired) << "TURN";
  // TFTP, SNMP, IKE, RADIUS and its accounting, SSDP, IPFIX, SIP (by IANA's registry of ports).
  constexpr std::array<std::uint16_t, 8> others = {69, 161, 500, 1812, 1813, 1900, 4739, 5060};
  for (const std::uint16_t port : others)
    EXPECT_EQ(parse(udp_frame(port, bytes_of({0x60}) + zeros(30))).skip, Skip::not_paired) << port;
}

TEST(Parser, WhatIsNotWantedIsNotLookedAt) {
  const Bytes segment = tcp_frame(), query = udp_frame(53, dns(9, false, "a")),
              quic = udp_frame(443, bytes_of({0x60}) + zeros(30));
  const Bytes ping = ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::icmp, echo(8, 1, 1)));
  const Bytes time = udp_frame(123, ntp(NtpMode::client, 1, 2));
  for (const Kind kind : {Kind::tcp, Kind::handshake, Kind::tcp_ts, Kind::flow})
    EXPECT_TRUE(parse(packet_of(segment), only(kind)).summary);
  EXPECT_EQ(parse(packet_of(segment), only(Kind::dns)).skip, Skip::not_wanted);
  EXPECT_EQ(parse(packet_of(query), only(Kind::tcp)).skip, Skip::not_wanted);
  EXPECT_TRUE(parse(packet_of(query), only(Kind::dns)).summary);
  EXPECT_EQ(parse(packet_of(quic), only(Kind::dns)).skip, Skip::not_paired);
  EXPECT_TRUE(parse(packet_of(quic), only(Kind::quic)).summary);
  EXPECT_EQ(parse(packet_of(ping), only(Kind::dns)).skip, Skip::not_wanted);
  EXPECT_TRUE(parse(packet_of(ping), only(Kind::icmp)).summary);
  EXPECT_EQ(parse(packet_of(time), only(Kind::dns)).skip, Skip::not_wanted);
  EXPECT_TRUE(parse(packet_of(time), only(Kind::ntp)).summary);

  Ends to_dns = ends;
  to_dns.destination_port = 53;
  const Bytes dns_segment = ethernet(EtherType::ipv4, ipv4(to_dns, IpProtocol::tcp, tcp(to_dns)));
  EXPECT_TRUE(parse(packet_of(dns_segment), only(Kind::dns)).summary) << "DNS over TCP";
}

TEST(Parser, OtherFramesAreCountedByReason) {
  EXPECT_EQ(parse(ethernet(EtherType::arp, zeros(46))).skip, Skip::not_ip);
  EXPECT_EQ(parse(ethernet(std::uint16_t{38}, bytes_of({0x42, 0x42, 3}) + zeros(40))).skip,
            Skip::not_ip)
      << "spanning tree";
  EXPECT_EQ(parse(ethernet(std::uint16_t{0x1234}, zeros(46))).skip, Skip::unknown_ethertype);
  EXPECT_EQ(parse(ethernet(EtherType::macsec, zeros(46))).skip, Skip::encrypted);
  EXPECT_EQ(parse(zeros(13)).skip, Skip::truncated_link);
  EXPECT_EQ(parse(Bytes{}).skip, Skip::truncated_link);
  EXPECT_EQ(parse(zeros(40), LinkType{999}).skip, Skip::unknown_link);
  EXPECT_EQ(parse(zeros(40), LinkType::raw).skip, Skip::bad_ip_version);
  EXPECT_EQ(parse(bytes_of({0, 0x2d}) + zeros(40), LinkType::ppp).skip, Skip::compressed);
  EXPECT_EQ(parse(bytes_of({0x80, 0x21}) + zeros(40), LinkType::ppp).skip, Skip::not_ip);
  EXPECT_EQ(parse(bytes_of({0x08, 0x41}) + zeros(60), LinkType::ieee80211).skip, Skip::encrypted);
  EXPECT_EQ(parse(bytes_of({0x80, 0x00}) + zeros(60), LinkType::ieee80211).skip, Skip::not_ip)
      << "beacon";
  EXPECT_EQ(parse(ipv4(ends, IpProtocol{132}, zeros(20)), LinkType::raw).skip,
            Skip::unknown_protocol)
      << "SCTP";
  EXPECT_EQ(parse(ipv4(ends, IpProtocol::ip_compression, zeros(20)), LinkType::raw).skip,
            Skip::compressed);
}

TEST(Parser, ATunnelPortWithoutItsHeaderIsPlainUdp) {
  EXPECT_EQ(summary_of(udp_frame(4789, bytes_of({0x60}) + zeros(30))).content, Content::quic_short);
  EXPECT_EQ(parse(udp_frame(2152, bytes_of({0x32, 1, 0, 4}) + zeros(8))).skip, Skip::not_ip)
      << "GTP echo";
}

}  // namespace
}  // namespace sojourn
