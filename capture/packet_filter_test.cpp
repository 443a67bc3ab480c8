#include "capture/packet_filter.h"

#include <gtest/gtest.h>

#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

/// IPv4 and the ports of UDP behind the header of the given link.
Bytes datagram(LinkType link, std::uint16_t destination_port) {
  Bytes bytes{{}, true};  // network order
  if (link == LinkType::ethernet) bytes.u32(1).u32(2).u32(3).u16(0x0800);
  bytes.u32(0x4500001c).u32(0).u32(0x40110000).u32(0xc0000201).u32(0xc0000202);
  return bytes.u16(4000).u16(destination_port).u32(0x00080000);
}

Packet packet_of(const Bytes& bytes, LinkType link) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return {{}, bytes.data.data(), size, size, link};
}

TEST(PacketFilter, KnowsWhereEachLinkTypeHasItsHeaders) {
  for (const LinkType link : {LinkType::ethernet, LinkType::raw, LinkType::raw_bsd,
                              LinkType::raw_openbsd, LinkType::ipv4}) {
    const auto filter = PacketFilter::compile("udp and dst port 53", link);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_TRUE(filter->accepts(packet_of(datagram(link, 53), link)));
    EXPECT_FALSE(filter->accepts(packet_of(datagram(link, 54), link)));
    Bytes cut = datagram(link, 53);
    cut.data.erase(cut.data.end() - 6, cut.data.end());  // ends before the port
    EXPECT_FALSE(filter->accepts(packet_of(cut, link)));
  }
}

TEST(PacketFilter, ExplainsABadExpression) {
  EXPECT_EQ(PacketFilter::compile("tcp prot 80", LinkType::ethernet).error().message,
            "filter 'tcp prot 80': can't parse filter expression: syntax error");
}

TEST(FilteredSource, CompactsBatchesOverSeveralLinkTypes) {
  PcapngWriter capture;
  capture.section().interface(1).interface(101);
  std::uint32_t kept_bytes = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const bool raw = i % 3 == 0;
    const Bytes packet = datagram(raw ? LinkType::raw : LinkType::ethernet, i % 2 ? 53 : 80);
    const auto size = static_cast<std::uint32_t>(packet.size());
    if (i % 2) kept_bytes += size;
    capture.block(6, capture.body().u32(raw).u32(0).u32(i).u32(size).u32(size).append(packet));
  }
  auto source = FilteredSource::open(*open_memory(capture.data, "a"), "port 53");
  ASSERT_TRUE(source) << source.error().message;
  const ReadAll all = read_all(**source);
  ASSERT_EQ(all.packets.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(all.packets[i].time_ns, static_cast<std::int64_t>(2 * i + 1) * 1000);
  EXPECT_EQ(all.counters.packets, 50u);
  EXPECT_EQ(all.counters.bytes, kept_bytes);
  EXPECT_EQ(all.counters.filtered, 50u);
}

TEST(FilteredSource, RefusesABadExpressionAtOnce) {
  auto source = FilteredSource::open(*open_memory(PcapWriter{}.data, "a"), "host and");
  ASSERT_FALSE(source);
  EXPECT_TRUE(source.error().message.starts_with("filter 'host and': "));
}

TEST(FilteredSource, WarnsOfALinkTypeTheExpressionCannotBeFor) {
  PcapWriter capture{pcap_ns, false, 101};
  capture.packet(1, 0, 20).packet(2, 0, 20);
  auto source =
      FilteredSource::open(*open_memory(capture.data, "a"), "ether host 00:00:00:00:00:01");
  ASSERT_TRUE(source);
  const ReadAll all = read_all(**source);
  EXPECT_EQ(all.packets.size(), 0u);
  EXPECT_EQ(all.counters.filtered, 2u);
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_NE(all.warnings[0].find("link type 101"), std::string::npos) << all.warnings[0];
}

}  // namespace
}  // namespace sojourn
