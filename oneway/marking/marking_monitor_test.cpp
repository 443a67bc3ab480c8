#include "oneway/marking/marking_monitor.h"

#include <gtest/gtest.h>

#include <vector>

#include "oneway/test_point.h"
#include "wire/test_layers.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

MarkingSetup setup_with(const char* carrier) {
  return {.carrier = MarkingCarrier::parse(carrier).value()};
}

/// UDP packets that differ, with DSCP bits 0 to 3 in turn, a millisecond apart.
struct Batch {
  std::vector<Bytes> bytes;
  std::vector<IpPacket> packets;

  explicit Batch(std::uint16_t count) {
    for (std::uint16_t i = 0; i < count; ++i) {
      bytes.push_back(ipv4({}, IpProtocol::udp, udp(i, 2, zeros(20))));
      bytes.back()[1] = static_cast<std::byte>(i % 4 << 2);
    }
    for (std::uint16_t i = 0; i < count; ++i)
      packets.push_back(
          at_point(bytes[i], LinkType::raw, timestamp_from_ns(64'000'000'000) + i * 1ms));
  }
};

TEST(MarkingMonitor, ReadsTheMarkOfEveryPacketOfABatch) {
  const Batch batch{10};
  const MarkingSetup setup = setup_with("dscp:1,0");
  MarkingMonitor monitor = MarkingMonitor::make(setup, MarkingRole::observing).value();
  const auto events = monitor.process(batch.packets);
  ASSERT_EQ(events.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(events[i].time, batch.packets[i].time);
    EXPECT_EQ(events[i].flow, 0u);
    EXPECT_EQ(events[i].mark, setup.carrier.read(batch.bytes[i])) << i;
  }
  EXPECT_EQ(monitor.monitored(), 10u);
  EXPECT_EQ(monitor.without_carrier(), 0u);
  std::uint64_t counted = 0;
  for (const MarkingRecord& record : monitor.finish().records) counted += record.packets;
  EXPECT_EQ(counted, 10u);
}

TEST(MarkingMonitor, PacketsWithoutTheCarrierBelongToNoFlow) {
  const Batch batch{3};  // IPv4 has no flow label
  MarkingMonitor monitor =
      MarkingMonitor::make(setup_with("flow-label"), MarkingRole::observing).value();
  for (const MarkingEvent& event : monitor.process(batch.packets))
    EXPECT_EQ(event.flow, MarkingEvent::no_flow);
  EXPECT_EQ(monitor.monitored(), 3u);
  EXPECT_EQ(monitor.without_carrier(), 3u);
  EXPECT_TRUE(monitor.finish().records.empty());
}

TEST(MarkingMonitor, TwoMarksNeedTwoBits) {
  MarkingSetup setup = setup_with("dscp:0");
  setup.method = MarkingMethod::double_;
  const auto refused = MarkingMonitor::make(setup, MarkingRole::observing);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("needs two bits"), std::string::npos);
}

}  // namespace
}  // namespace sojourn
