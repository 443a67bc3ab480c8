#include "lab/backbone_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace sojourn {
namespace {

BackboneTrace small_chic(std::uint64_t seed = 1) {
  return backbone_traffic(
      {.model = BackboneModel::chic(), .seconds = 10, .scale = 0.1, .seed = seed});
}

TEST(BackboneTraffic, IsRepeatableAndSeeded) {
  const auto a = small_chic(), b = small_chic(), c = small_chic(2);
  ASSERT_EQ(a.packets.size(), b.packets.size());
  EXPECT_TRUE(
      std::ranges::equal(a.packets, b.packets, {}, &LabPacket::sent_ns, &LabPacket::sent_ns));
  EXPECT_NE(a.packets[0].sent_ns, c.packets[0].sent_ns);
}

TEST(BackboneTraffic, IsInOrderAndWithinItsTime) {
  const auto trace = small_chic();
  EXPECT_TRUE(std::ranges::is_sorted(trace.packets, {}, &LabPacket::sent_ns));
  EXPECT_GE(trace.packets.front().sent_ns, 0);
  EXPECT_LE(trace.packets.back().sent_ns, 10'000'000'000);
  const auto packets =
      std::accumulate(trace.flow_sizes.begin(), trace.flow_sizes.end(), std::uint64_t{0});
  EXPECT_EQ(packets, trace.packets.size());
}

TEST(BackboneTraffic, HasTheStatedRateAndHeavyTail) {
  const auto trace = small_chic();
  const double packets = static_cast<double>(trace.packets.size());
  EXPECT_NEAR(packets, 131e6 / 600 * 0.1 * 10, 5000);  // the last flow may overshoot
  // The mean depends on some 200 elephants: their number is off by a quarter once in thousands of
  // seeds.
  const double mean = packets / static_cast<double>(trace.flow_sizes.size());
  EXPECT_GT(mean, 13 / 1.5);
  EXPECT_LT(mean, 13 * 1.5);

  auto sizes = trace.flow_sizes;
  std::ranges::sort(sizes, std::greater{});
  std::uint64_t in_largest = 0;
  for (std::size_t i = 0; i < sizes.size() / 100; ++i) in_largest += sizes[i];
  EXPECT_GT(static_cast<double>(in_largest), packets * 0.5)
      << "the largest 1 % of flows carry the traffic";
  EXPECT_LE(sizes[sizes.size() / 2], 3u) << "and most flows have a packet or two";
}

TEST(BackboneTraffic, ArrivesInBursts) {
  // Variance of the counts per 10 ms relative to their mean: 1 for Poisson arrivals.
  const auto trace = small_chic();
  std::vector<double> counts(1000);
  for (const LabPacket& packet : trace.packets)
    counts[std::min<std::size_t>(999, static_cast<std::size_t>(packet.sent_ns / 10'000'000))] += 1;
  const double mean = static_cast<double>(trace.packets.size()) / 1000;
  double variance = 0;
  for (const double count : counts) variance += (count - mean) * (count - mean) / 1000;
  EXPECT_GT(variance / mean, 3);
}

}  // namespace
}  // namespace sojourn
