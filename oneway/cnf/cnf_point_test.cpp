#include "oneway/cnf/cnf_point.h"

#include <gtest/gtest.h>

#include "oneway/test_point.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

/// 3 flows of 100 packets each, one every millisecond.
void pass_flows(CnfPoint& point) {
  for (std::uint16_t i = 0; i < 300; ++i) {
    const Ends ends{.source_port = static_cast<std::uint16_t>(1000 + i % 3)};
    const Bytes payload = bytes_of({i >> 8, i & 0xff, 0, 0, 0, 0, 0, 0});
    const Bytes bytes =
        ipv4(ends, IpProtocol::udp, udp(ends.source_port, ends.destination_port, payload));
    const IpPacket packet = at_point(bytes, LinkType::raw, start + i * 1ms);
    point.add({&packet, 1});
  }
}

TEST(CnfPoint, ExportsARecordForEachFlow) {
  CnfPoint point{{}, {}};
  pass_flows(point);
  EXPECT_EQ(point.selected(), 300u);
  EXPECT_TRUE(point.records().empty());
  point.finish();
  ASSERT_EQ(point.records().size(), 3u);
  for (const FlowRecord& record : point.records()) {
    EXPECT_EQ(record.packets, 100u);
    EXPECT_EQ(record.last - record.first, 297ms);
  }
}

TEST(CnfPoint, SelectsTheSamePacketsAtEveryPoint) {
  OnewayOptions options;
  options.sampling = 0.25;
  std::vector<std::vector<std::uint32_t>> labels;
  for (int i = 0; i < 2; ++i) {
    CnfPoint point{options, {}};
    pass_flows(point);
    point.finish();
    EXPECT_NEAR(static_cast<double>(point.selected()), 75, 25);
    std::uint64_t packets = 0;
    labels.emplace_back();
    for (const FlowRecord& record : point.records()) {
      packets += record.packets;
      labels.back().push_back(record.first_label);
    }
    EXPECT_EQ(packets, point.selected());
  }
  EXPECT_EQ(labels[0], labels[1]);
}

}  // namespace
}  // namespace sojourn
