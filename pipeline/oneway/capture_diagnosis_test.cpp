#include "pipeline/oneway/capture_diagnosis.h"

#include <gtest/gtest.h>

#include "pipeline/oneway/test_two_points.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;
using What = CaptureDiagnosis::What;

PointInput input_of(const std::vector<StoredPacket>& packets) {
  if (packets.empty()) return {};
  return {packets.size(), timestamp_from_ns(packets.front().time_ns),
          timestamp_from_ns(packets.back().time_ns)};
}

CaptureDiagnosis diagnosed(const TestTwoPoints& traffic) {
  MemorySource first{traffic.first}, last{traffic.last};
  return diagnose({input_of(traffic.first), input_of(traffic.last)}, {}, 7, first, last);
}

TEST(CaptureDiagnosis, FindsTheSamePacketsFarApart) {
  const CaptureDiagnosis far = diagnosed(TestTwoPoints{2'000, 3'600'000'000'000});
  EXPECT_EQ(far.what, What::beyond_the_window);
  EXPECT_EQ(far.common, 1'960u);
  EXPECT_GE(far.apart, 1h + 5ms);
  EXPECT_LE(far.apart, 1h + 5'030us);
}

TEST(CaptureDiagnosis, TellsOtherTrafficFromAnotherTime) {
  TestTwoPoints other;
  other.last = TestTwoPoints{2'000, 0, 1'000'000}.last;
  EXPECT_EQ(diagnosed(other).what, What::different_traffic);
  other.last = TestTwoPoints{2'000, 3'600'000'000'000, 1'000'000}.last;
  EXPECT_EQ(diagnosed(other).what, What::apart_in_time);
  EXPECT_EQ(diagnose({input_of(other.first), input_of(other.last)}).what, What::apart_in_time);
}

// Behind a translator addresses and ports are others; what follows the ports is the same.
TEST(CaptureDiagnosis, KnowsTranslatedPacketsByTheirContent) {
  TestTwoPoints traffic{0};
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Bytes payload = bytes_of(Be32{i}) + zeros(28);
    const std::int64_t sent_ns = two_points_start_ns + i * std::int64_t{100'000};
    const auto frame = [&](const Ends& ends) {
      return ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::udp,
                                            udp(ends.source_port, ends.destination_port, payload)));
    };
    traffic.first.push_back({sent_ns, frame({.source = 0x0a000001, .source_port = 5000})});
    traffic.last.push_back({sent_ns + 5'000'000, frame({.source_port = 6000})});
  }
  const CaptureDiagnosis diagnosis = diagnosed(traffic);
  EXPECT_EQ(diagnosis.what, What::translated);
  EXPECT_EQ(diagnosis.common, 100u);
  EXPECT_EQ(diagnosis.apart, 5ms);
}

// Without ports, equal contents say little: every ping looks like any other.
TEST(CaptureDiagnosis, TakesNoPingForATranslatedOne) {
  TestTwoPoints traffic{0};
  for (std::uint16_t i = 0; i < 100; ++i) {
    const Bytes ping = echo(8, 1, i) + zeros(32);
    const std::int64_t sent_ns = two_points_start_ns + i * std::int64_t{100'000};
    traffic.first.push_back(
        {sent_ns, ethernet(EtherType::ipv4, ipv4({.source = 0x0a000001}, IpProtocol::icmp, ping))});
    traffic.last.push_back(
        {sent_ns + 5'000'000, ethernet(EtherType::ipv4, ipv4({}, IpProtocol::icmp, ping))});
  }
  EXPECT_EQ(diagnosed(traffic).what, What::different_traffic);
}

TEST(CaptureDiagnosis, NamesThePointWithoutPackets) {
  TestTwoPoints traffic;
  traffic.last.clear();
  const CaptureDiagnosis empty = diagnosed(traffic);
  EXPECT_EQ(empty.what, What::no_packets);
  EXPECT_EQ(empty.point, Point::last);
}

}  // namespace
}  // namespace sojourn
