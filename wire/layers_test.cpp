// Properties that hold for every encapsulation.

#include <random>

#include "wire/summarize.h"
#include "wire/test_layers.h"
#include "wire/test_parse.h"

namespace sojourn {
namespace {

using namespace test;

/// Innermost packets of every content, in both IP versions.
std::vector<Carried> innermost(const Ends& ends) {
  const auto both = [](std::vector<Carried>& into, const Ends& from, IpProtocol protocol,
                       const Bytes& payload) {
    into.push_back({Form::ipv4, ipv4(from, protocol, payload)});
    into.push_back({Form::ipv6, ipv6(from, protocol, payload)});
  };
  std::vector<Carried> all;
  both(all, ends, IpProtocol::tcp, tcp(ends));
  both(all, ends, IpProtocol::tcp,
       tcp(ends,
           {.flags = tcp_syn,
            .options = bytes_of({2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7}),
            .payload = 0}));
  both(all, ends, IpProtocol::tcp,
       tcp(ends, {.options = aligned_timestamps(77, 88), .payload = 33}));
  both(all, ends, IpProtocol::udp, udp(ends.source_port, 53, dns(4711, false, "www.example.org")));
  both(all, ends, IpProtocol::udp,
       udp(53, ends.destination_port, dns(4711, true, "www.example.org")));
  both(all, ends, IpProtocol::udp, udp(ends.source_port, 123, ntp(NtpMode::client, 5, 6)));
  both(all, ends, IpProtocol::udp,
       udp(ends.source_port, 443, bytes_of({0xc3, 0, 0, 0, 1, 8}) + zeros(40)));
  both(all, ends, IpProtocol::udp, udp(ends.source_port, 443, bytes_of({0x63}) + zeros(40)));
  all.push_back({Form::ipv4, ipv4(ends, IpProtocol::icmp, echo(8, 3, 4))});
  all.push_back({Form::ipv6, ipv6(ends, IpProtocol::icmpv6, echo(129, 3, 4))});
  return all;
}

Summary summary_of_bare(const Carried& packet) { return summary_of(packet.bytes, LinkType::raw); }

/// Calls `check` with every packet in every link type, under up to `depth` random layers.
template <class Check>
void for_random_stacks(unsigned seed, int rounds, int depth, Check&& check) {
  std::mt19937 random{seed};
  const auto layers = wrappings();
  const auto links = linkings();
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
  };
  for (int round = 0; round < rounds; ++round) {
    for (const Carried& packet : innermost({})) {
      Carried carried = packet;
      std::string stack;
      for (std::size_t left = below(static_cast<std::size_t>(depth) + 1); left > 0;) {
        const Wrapping& layer = layers[below(layers.size())];
        if (!layer.fits(carried.form)) continue;
        carried = layer.wrap(carried);
        stack = layer.name + " > " + stack;
        --left;
      }
      const Linking* link = nullptr;
      while (!link || !link->fits(carried.form)) link = &links[below(links.size())];
      SCOPED_TRACE("seed " + std::to_string(seed) + ": link " +
                   std::to_string(static_cast<int>(link->link)) + " > " + stack);
      check(packet, link->wrap(carried), link->link);
    }
  }
}

TEST(Layers, EachCarriesAnyFittingPacketUnchanged) {
  for (const Carried& packet : innermost({})) {
    const Summary bare = summary_of_bare(packet);
    for (const Wrapping& layer : wrappings()) {
      SCOPED_TRACE(layer.name);
      Carried inner = packet;
      if (!layer.fits(inner.form)) inner = {Form::frame, ethernet(type_of(packet), packet.bytes)};
      if (!layer.fits(inner.form)) continue;
      const Carried outer = layer.wrap(inner);
      const auto link = outer.form == Form::frame ? LinkType::ethernet : LinkType::raw;
      expect_same_content(bare, summary_of(outer.bytes, link));
    }
  }
}

TEST(Layers, EachLinkTypeCarriesAnyFittingPacketUnchanged) {
  for (const Carried& packet : innermost({})) {
    const Summary bare = summary_of_bare(packet);
    for (const Linking& link : linkings()) {
      SCOPED_TRACE(static_cast<int>(link.link));
      if (link.fits(packet.form))
        expect_same_content(bare, summary_of(link.wrap(packet), link.link));
    }
  }
}

TEST(Layers, StackedAtRandomTheyCarryThePacketUnchanged) {
  for_random_stacks(20261115, 200, 3, [](const Carried& packet, const Bytes& bytes, LinkType link) {
    const Summary bare = summary_of_bare(packet), inside = summary_of(bytes, link);
    expect_same_content(bare, inside);
    ASSERT_TRUE(inside.ip);
    EXPECT_EQ(std::memcmp(inside.ip, packet.bytes.data(), packet.bytes.size()), 0);
  });
}

// Under AddressSanitizer a read past the end of the exactly sized vector stops the test.
TEST(Layers, CutAnywhereGivesOneOutcomeAndNoReadPastTheEnd) {
  for_random_stacks(7, 10, 2, [](const Carried&, const Bytes& bytes, LinkType link) {
    for (std::size_t captured = 0; captured < bytes.size(); ++captured) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(captured));
      Packet packet = packet_of(cut, link);
      packet.length = static_cast<std::uint32_t>(bytes.size());
      const Outcome outcome = parse(packet);
      ASSERT_NE(outcome.summary.has_value(), outcome.skip.has_value());
      if (!outcome.summary) continue;
      ASSERT_LE(outcome.summary->ip + outcome.summary->ip_captured, cut.data() + cut.size());
      const Summary whole = summary_of(bytes, link);
      EXPECT_EQ(outcome.summary->payload, whole.payload) << "cut at " << captured;
      EXPECT_EQ(outcome.summary->flow, whole.flow);
    }
  });
}

TEST(Layers, RandomBytesInsideAValidPacketDoNoHarm) {
  std::mt19937 random{99};
  for_random_stacks(8, 40, 2, [&](const Carried&, Bytes bytes, LinkType link) {
    for (int change = 0; change < 20; ++change) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      const Bytes exact = bytes;
      const Outcome outcome = parse(exact, link);
      ASSERT_NE(outcome.summary.has_value(), outcome.skip.has_value());
      if (!outcome.summary) continue;
      ASSERT_LE(outcome.summary->ip + outcome.summary->ip_captured, exact.data() + exact.size());
    }
  });
}

TEST(Layers, TheAnswerHasTheSameFlowAndTheOtherDirection) {
  const Ends ends;
  const auto there = innermost(ends), back = innermost(ends.swapped());
  for (const std::size_t i : {0u, 1u, 4u, 5u, 16u, 17u}) {  // TCP plain and with timestamps, echo
    const Summary a = summary_of_bare(there[i]), b = summary_of_bare(back[i]);
    EXPECT_EQ(a.flow, b.flow);
    EXPECT_NE(a.source_is_low, b.source_is_low);
    EXPECT_EQ(a.source(), b.destination());
  }
}

TEST(Layers, EndlessNestingIsTooDeep) {
  const Ends ends;
  Carried carried{Form::ipv4, ipv4(ends, IpProtocol::tcp, tcp(ends))};
  for (int i = 0; i < 40; ++i) carried = in_ipv4(IpProtocol::ipv4, carried.bytes);
  EXPECT_EQ(parse(carried.bytes, LinkType::raw).skip, Skip::too_deep);
}

/// IP headers with anything that may stand between them and TCP.
std::vector<Bytes> headers_before_tcp() {
  struct Between {
    IpProtocol number;
    Bytes bytes;  ///< the first is the number of what follows
  };
  const Between authentication = {IpProtocol::authentication, bytes_of({6, 4, 0, 0}) + zeros(20)};
  const std::vector<Between> extensions = {
      {IpProtocol::hop_by_hop, bytes_of({6, 0, 1, 4, 0, 0, 0, 0})},
      {IpProtocol::routing, bytes_of({6, 2}) + zeros(22)},
      {IpProtocol::destination_options, bytes_of({6, 1}) + zeros(14)},
      {IpProtocol::mobility, bytes_of({6, 0}) + zeros(6)},
      {IpProtocol::fragment, bytes_of({6}) + zeros(7)},                         // a whole packet
      {IpProtocol::fragment, bytes_of({6, 0, 0, 1}) + bytes_of({0, 0, 0, 9})},  // a first fragment
  };
  const auto chained = [](const std::vector<Between>& chain) {
    Bytes all;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      Bytes each = chain[i].bytes;
      if (i + 1 < chain.size()) each[0] = static_cast<std::byte>(chain[i + 1].number);
      all = all + each;
    }
    return ipv6({}, chain.empty() ? IpProtocol::tcp : chain.front().number, all);
  };
  Bytes with_options = ipv4({}, IpProtocol::tcp, zeros(8));
  with_options[0] = std::byte{0x47};
  Bytes both = ipv4({}, IpProtocol::authentication, zeros(8) + authentication.bytes);
  both[0] = std::byte{0x47};
  Bytes twice = authentication.bytes;
  twice[0] = static_cast<std::byte>(IpProtocol::authentication);
  std::vector<Bytes> all = {
      ipv4({}, IpProtocol::tcp, {}),
      with_options,
      ipv4({}, IpProtocol::authentication, authentication.bytes),
      ipv4({}, IpProtocol::authentication, twice + authentication.bytes),
      both,
      chained({}),
      chained({authentication}),
      chained({authentication, authentication}),
  };
  for (const Between& one : extensions) {
    all.push_back(chained({one}));
    all.push_back(chained({one, authentication}));
    for (const Between& other : extensions) all.push_back(chained({one, other}));
  }
  all.push_back(chained(std::vector<Between>(11, extensions[0])));
  return all;
}

/// A packet of these headers with TCP behind them, and its length fields right.
Bytes with_tcp(Bytes headers) {
  const Bytes segment = tcp({}, {.options = aligned_timestamps(1, 2), .payload = 30});
  headers = headers + segment;
  const bool six = (std::to_integer<int>(headers[0]) >> 4) == 6;
  const std::size_t length = headers.size() - (six ? 40 : 0), at = six ? 4 : 2;
  headers[at] = static_cast<std::byte>(length >> 8),
  headers[at + 1] = static_cast<std::byte>(length);
  return headers;
}

TEST(TcpOffset, IsPastAllHeadersBeforeIt) {
  for (const Bytes& headers : headers_before_tcp()) {
    const Bytes packet = with_tcp(headers);
    const Summary whole = summary_of(packet, LinkType::raw);
    ASSERT_EQ(whole.content, Content::tcp);
    EXPECT_EQ(tcp_offset(whole), headers.size());
    EXPECT_EQ(tcp_offset(whole), whole.payload_offset - 32u);
  }
}

/// Where an IPv4 header names its protocol, IPv6 has a byte of its source address.
TEST(TcpOffset, TakesNoAddressForAProtocol) {
  Bytes packet = with_tcp(ipv6({}, IpProtocol::tcp, {}));
  packet[9] = std::byte{6};
  EXPECT_EQ(tcp_offset(summary_of(packet, LinkType::raw)), 40u);
}

TEST(TcpOffset, IsTheSameInCutPackets) {
  std::size_t read = 0;
  for (const Bytes& headers : headers_before_tcp()) {
    const Bytes packet = with_tcp(headers);
    for (std::size_t captured = 1; captured < packet.size(); ++captured) {
      const Bytes cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(captured));
      Packet seen = packet_of(cut, LinkType::raw);
      seen.length = static_cast<std::uint32_t>(packet.size());
      const Outcome outcome = parse(seen);
      if (!outcome.summary || outcome.summary->content != Content::tcp) continue;
      EXPECT_EQ(tcp_offset(*outcome.summary), headers.size()) << captured << " bytes";
      ++read;
    }
  }
  EXPECT_GE(read, 42 * headers_before_tcp().size()) << "most cuts are behind the TCP header";
}

TEST(TcpOffset, NeedsNoTotalLength) {
  for (const std::size_t at : {2u, 4u}) {  // offloads leave 0, in IPv4 and IPv6
    const bool six = at == 4;
    Bytes packet =
        with_tcp(six ? ipv6({}, IpProtocol::hop_by_hop, bytes_of({6, 0, 1, 4, 0, 0, 0, 0}))
                     : ipv4({}, IpProtocol::authentication, bytes_of({6, 4, 0, 0}) + zeros(20)));
    packet[at] = packet[at + 1] = std::byte{0};
    EXPECT_EQ(tcp_offset(summary_of(packet, LinkType::raw)), six ? 48u : 44u);
  }
}

}  // namespace
}  // namespace sojourn
