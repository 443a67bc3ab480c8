#include "pipeline/marking/marker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string_view>

#include "pipeline/marking/mark_capture.h"
#include "pipeline/test_source.h"

namespace sojourn {
namespace {

using namespace test;

MarkerOptions with_carrier(const char* carrier) {
  // Short intervals, so that marks are set and not all 0.
  return {.setup = {.length = *MarkingInterval::parse("16ms"),
                    .carrier = *MarkingCarrier::parse(carrier)}};
}

std::vector<Packet> as_packets(std::span<const StoredPacket> stored) {
  std::vector<Packet> packets;
  for (const StoredPacket& one : stored) {
    packets.push_back(packet_of(one.bytes));
    packets.back().time = timestamp_from_ns(one.time_ns);
  }
  return packets;
}

/// All packets through the marker, copied.
std::vector<StoredPacket> marked(Marker& marker, std::span<const StoredPacket> traffic) {
  std::vector<StoredPacket> out;
  const auto packets = as_packets(traffic);
  for (std::size_t at = 0; at < packets.size(); at += Marker::max_batch) {
    const auto batch =
        std::span{packets}.subspan(at, std::min(Marker::max_batch, packets.size() - at));
    const auto done = marker.process(batch);
    EXPECT_TRUE(done);
    if (!done) return out;
    EXPECT_EQ(done->size(), batch.size());
    for (const Packet& packet : *done)
      out.push_back({to_ns(packet.time), Bytes(packet.data, packet.data + packet.captured)});
  }
  return out;
}

std::size_t differing(std::span<const StoredPacket> one, std::span<const StoredPacket> other) {
  EXPECT_EQ(one.size(), other.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].time_ns, other[i].time_ns);
    count += one[i].bytes != other[i].bytes;
  }
  return count;
}

TEST(Marker, MarksInPlaceKeepsTheOrderAndCountsEveryPacket) {
  const auto traffic = mixed_traffic(1'000, 1);
  auto marker = Marker::make(with_carrier("dscp"));
  ASSERT_TRUE(marker);
  const auto out = marked(**marker, traffic);
  const MarkCounters counters = (*marker)->counters();
  EXPECT_EQ(counters.packets, 1'000u);
  EXPECT_EQ(counters.changed + counters.no_carrier + counters.tunnelled + counters.other, 1'000u);
  EXPECT_GT(counters.other, 0u);  // ARP
  // A mark may be 0, which changes nothing; some are 1.
  EXPECT_GT(differing(traffic, out), 0u);
  EXPECT_LE(differing(traffic, out), counters.changed);
}

// PPPoE states the length of what it carries, so an option cannot be inserted.
TEST(Marker, CountsPacketsThatCannotGrow) {
  const Bytes ip = ipv6({}, IpProtocol::udp, udp(40'000, 9, zeros(20)));
  const auto size = static_cast<int>(ip.size() + 2);
  const Bytes session = bytes_of({0x11, 0, 0, 1, size >> 8, size & 0xff, 0x00, 0x57}) + ip;
  const std::vector<StoredPacket> traffic = {{1'000'000'000, ethernet(0x8864, session)},
                                             {1'000'001'000, ethernet(EtherType::ipv6, ip)}};
  auto marker = Marker::make(with_carrier("hop-by-hop"));
  ASSERT_TRUE(marker) << marker.error().message;
  const auto out = marked(**marker, traffic);
  const MarkCounters counters = (*marker)->counters();
  EXPECT_EQ(counters.no_carrier, 1u);
  EXPECT_EQ(counters.changed, 1u);
  EXPECT_EQ(counters.packets, 2u);
  EXPECT_EQ(out[0].bytes, traffic[0].bytes);
  EXPECT_GT(out[1].bytes.size(), traffic[1].bytes.size());
}

// What a capture cut off is on the line all the same, behind the option.
TEST(Marker, TheLengthOnTheLineGrowsAndShrinksWithTheOption) {
  const Bytes frame =
      ethernet(EtherType::ipv6, ipv6({}, IpProtocol::udp, udp(40'000, 9, zeros(500))));
  Packet packet = packet_of(frame);
  packet.captured = 100;
  MarkerOptions options = with_carrier("hop-by-hop");
  auto marker = Marker::make(options);
  options.restore = true;
  auto restorer = Marker::make(options);
  ASSERT_TRUE(marker && restorer);
  const auto grown = (*marker)->process({&packet, 1});
  ASSERT_TRUE(grown) << grown.error().message;
  EXPECT_EQ(grown->front().captured, packet.captured + alt_mark_growth);
  EXPECT_EQ(grown->front().length, packet.length + alt_mark_growth);
  const auto restored = (*restorer)->process(*grown);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->front().captured, packet.captured);
  EXPECT_EQ(restored->front().length, packet.length);
}

TEST(Marker, RestoringGivesTheCaptureBack) {
  const auto traffic = mixed_traffic(1'000, 1);
  auto marker = Marker::make(with_carrier("dscp"));
  ASSERT_TRUE(marker);
  const auto out = marked(**marker, traffic);
  MarkerOptions back = with_carrier("dscp");
  back.restore = true;
  auto restorer = Marker::make(back);
  ASSERT_TRUE(restorer);
  EXPECT_EQ(differing(traffic, marked(**restorer, out)), 0u);
  EXPECT_EQ((*restorer)->counters().changed, (*marker)->counters().changed);
}

/// One packet whose DSCP is in use.
std::vector<StoredPacket> with_used_field() {
  auto traffic = mixed_traffic(40, 1);
  for (StoredPacket& packet : traffic) {
    if (packet.bytes[12] != std::byte{0x08} || packet.bytes[13] != std::byte{0x00}) continue;
    packet.bytes[15] = std::byte{0xb8};
    break;
  }
  return traffic;
}

TEST(Marker, RefusesAFieldThatIsInUseUnlessForced) {
  const auto traffic = with_used_field();
  auto marker = Marker::make(with_carrier("dscp"));
  ASSERT_TRUE(marker);
  const auto packets = as_packets(traffic);
  const auto refused = (*marker)->process(packets);
  ASSERT_FALSE(refused);
  EXPECT_TRUE((*marker)->met_used_carrier());
  EXPECT_NE(refused.error().message.find("uses dscp:0 already"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().message.find("--"), std::string::npos);

  MarkerOptions force = with_carrier("dscp");
  force.force = true;
  auto forced = Marker::make(force);
  ASSERT_TRUE(forced);
  EXPECT_TRUE((*forced)->process(packets));
  EXPECT_FALSE((*forced)->met_used_carrier());
}

TEST(MarkCapture, SaysWhetherTheCaptureIsWhole) {
  const std::atomic<bool> stop{false};
  for (const bool force : {true, false}) {
    MarkerOptions options = with_carrier("dscp");
    options.force = force;
    auto marker = Marker::make(options);
    ASSERT_TRUE(marker);
    const auto traffic = with_used_field();
    MemorySource source{traffic};
    std::size_t bytes = 0;
    const auto take = [&](std::string_view block) { bytes += block.size(); };
    EXPECT_EQ(mark_capture(source, "in.pcap", **marker, take, stop, [] {}).has_value(), force);
    EXPECT_EQ(bytes > 0, force);
  }
}

}  // namespace
}  // namespace sojourn
