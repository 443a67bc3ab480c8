#include "lab/flow_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sojourn {
namespace {

struct Seen {
  double packets_per_flow = 0;
  double in_large_flows = 0;  ///< share of the packets in flows of more than 200
  double large_duration = 0;  ///< median, of those flows
};

/// `flows` flows, each weighted by the share of its packets within a trace of `seconds`.
Seen look_at(const FlowShapes::Options& options, double seconds, int flows = 300'000) {
  const FlowShapes shapes{options};
  Random random{7};
  double packets = 0, large = 0;
  std::vector<double> durations;
  for (int i = 0; i < flows; ++i) {
    const FlowShape shape = shapes.draw(random);
    const double within =
        seconds > 0 ? shape.size * seconds / (seconds + shape.duration()) : shape.size;
    packets += within;
    if (shape.size <= 200) continue;
    large += within;
    durations.push_back(shape.duration());
  }
  std::ranges::nth_element(durations,
                           durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2));
  return {packets / flows, large / packets, durations[durations.size() / 2]};
}

// The packets of a flow have a deviation below 200 (elephants and bursts), so the mean of 300 000
// flows has one of 0.37: 2.2 is six of these, exceeded once in 10^9.
TEST(FlowShapes, HaveThePacketsPerFlowThatWereAskedFor) {
  EXPECT_NEAR(look_at({.packets_per_flow = 13, .seconds = 60}, 60).packets_per_flow, 13, 2.2);
  EXPECT_NEAR(look_at({.packets_per_flow = 13, .seconds = 0}, 0).packets_per_flow, 13, 2.2);
  // Would notice flows that are counted as a whole but seen in part.
  EXPECT_LT(look_at({.packets_per_flow = 13, .seconds = 0}, 60).packets_per_flow, 13 - 2.2);
}

TEST(FlowShapes, FewLongFlowsCarryThePackets) {
  const Seen seen = look_at({.packets_per_flow = 13, .seconds = 60}, 60);
  EXPECT_GT(seen.in_large_flows, 0.6);
  EXPECT_GT(seen.large_duration, 100) << "seconds";
}

TEST(FlowShapes, KeepToTheLargestSize) {
  const FlowShapes shapes{{.packets_per_flow = 13, .seconds = 0, .largest = 150}};
  Random random{1};
  for (int i = 0; i < 20'000; ++i) EXPECT_LE(shapes.draw(random).size, 150u);
}

TEST(DrawTimes, TakeAboutAsLongAsTheRateSays) {
  Random random{3};
  std::vector<double> times;
  for (const double rate : {0.5, 20.0, 5'000.0}) {
    draw_times(random, {.size = 2'000, .packets_per_second = rate}, times);
    ASSERT_EQ(times.size(), 2'000u);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_GT(times.back(), 0.8 * 2'000 / rate);
    EXPECT_LT(times.back(), 2'000 / rate * 1.2 + 1.5) << "slow start adds some round trips";
  }
}

TEST(TailExponent, GivesTheMean) {
  for (const double wanted : {2.0, 15.9, 20.8}) {
    const double exponent = tail_exponent(wanted, 50'000);
    double mean = 0;
    for (int k = 1; k <= 50'000; ++k) mean += std::pow(k, -exponent);
    EXPECT_NEAR(mean, wanted, wanted * 1e-3);
  }
}

}  // namespace
}  // namespace sojourn
