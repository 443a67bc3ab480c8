#include "oneway/rli/rli_method.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "oneway/test_point.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

/// UDP packets as the last point sees them, each with its arrival.
class Arrivals {
 public:
  void reference(std::uint32_t sequence, Duration received, Duration delay) {
    const auto payload = encode(ReferencePacket{1, sequence, start + received - delay});
    add(received, {.source_port = 4747, .destination_port = 4747},
        Bytes{payload.begin(), payload.end()});
  }
  void packet(Duration received) { add(received, {.source_port = 1000}, zeros(20)); }
  std::vector<IpPacket> all() const {
    std::vector<IpPacket> packets;
    for (const auto& [time, bytes] : bytes_)
      packets.push_back(at_point(bytes, LinkType::raw, time));
    return packets;
  }

 private:
  void add(Duration received, const Ends& ends, const Bytes& payload) {
    bytes_.emplace_back(
        start + received,
        ipv4(ends, IpProtocol::udp, udp(ends.source_port, ends.destination_port, payload)));
  }
  std::vector<std::pair<Timestamp, Bytes>> bytes_;
};

std::uint64_t counter(const OnewayResult& result, std::string_view name) {
  const auto found = std::ranges::find(
      result.counters, name, [](const auto& counter) { return std::string_view{counter.first}; });
  EXPECT_NE(found, result.counters.end()) << name;
  return found == result.counters.end() ? 0 : found->second;
}

// References and packets are in one batch: each packet belongs between those beside it.
TEST(RliMethod, PacketsAreBetweenTheReferencesThatCameBeforeAndAfter) {
  Arrivals arrivals;
  arrivals.packet(1ms);
  arrivals.reference(0, 10ms, 1ms);
  for (int i = 1; i <= 9; ++i) arrivals.packet(10ms + i * 1ms);
  arrivals.reference(1, 20ms, 3ms);
  arrivals.packet(21ms);
  const auto method = make_rli({});
  method->last(arrivals.all());
  const OnewayResult result = method->finish();
  EXPECT_EQ(counter(result, "reference-packets"), 2u);
  EXPECT_EQ(counter(result, "before-first-reference"), 1u);
  EXPECT_EQ(counter(result, "interpolated"), 9u);
  EXPECT_EQ(counter(result, "after-last-reference"), 1u);
  ASSERT_EQ(result.flows.size(), 1u);
  EXPECT_EQ(result.flows[0].packets, 11u);
  // Delays rise from 1 to 3 ms.
  EXPECT_NEAR(result.flows[0].mean_ns.value_or(0), 2e6, 1e4);
}

TEST(RliMethod, TellsOfGapsOnlyIfItUsesThem) {
  for (const RliEstimator estimator : {RliEstimator::interpolate, RliEstimator::queue_aware}) {
    RliOptions options;
    options.receiver.estimator = estimator;
    options.receiver.capacity_bytes_a_second = 1e9;
    Arrivals arrivals;
    arrivals.reference(0, 10ms, 1ms);
    arrivals.packet(15ms);
    arrivals.reference(1, 20ms, 1ms);
    const auto method = make_rli(options);
    method->last(arrivals.all());
    const OnewayResult result = method->finish();
    const auto gaps = std::ranges::count_if(result.counters, [](const auto& counter) {
      return std::string_view{counter.first}.ends_with("behind-gaps");
    });
    EXPECT_EQ(gaps, estimator == RliEstimator::queue_aware ? 2 : 0);
  }
}

}  // namespace
}  // namespace sojourn
