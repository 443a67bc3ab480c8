#include "oneway/clock.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/hash.h"

namespace sojourn {
namespace {

double uniform(std::uint64_t& state) {
  return static_cast<double>(split_mix(state) >> 11) * 0x1p-53;
}

/// Delays of at least 5 ms with exponential queueing, read by clocks that drift apart.
std::optional<ClockSkew> estimated(double ppm, double seconds, double queueing_ns,
                                   double growth_ns = 0) {
  SkewEstimator estimator;
  std::uint64_t state = 20'261'115;
  const int packets = 50'000;
  for (int i = 0; i < packets; ++i) {
    const double at = seconds * i / packets;
    const double queue =
        -queueing_ns * std::log1p(-uniform(state)) + growth_ns * at / seconds * uniform(state);
    const double delay = 5e6 + queue + at * 1e3 * ppm;
    estimator.add(timestamp_from_ns(std::llround(at * 1e9) + 1'000'000'000'000),
                  Duration{std::llround(delay)});
  }
  return estimator.estimate();
}

TEST(SkewEstimator, FindsTheDriftUnderQueueing) {
  // A minute, minima of about 50 packets a slice: within some ten microseconds of 5 ms each.
  for (const double ppm : {-30.0, 2.0, 100.0}) {
    const auto skew = estimated(ppm, 60, 1e6);
    ASSERT_TRUE(skew);
    EXPECT_NEAR(skew->ppm(), ppm, 0.1);
    EXPECT_TRUE(skew->significant());
    EXPECT_NEAR(skew->drift_ns, ppm * 60e3, 6e3);
  }
}

TEST(SkewEstimator, SeesNoDriftWhereThereIsNone) {
  const auto skew = estimated(0, 60, 1e6);
  ASSERT_TRUE(skew);
  EXPECT_FALSE(skew->significant());
  EXPECT_LT(std::abs(skew->ppm()), 0.1);
}

TEST(SkewEstimator, IsNotFooledByQueuesThatGrow) {
  // Load rises through the capture; the shortest delays do not.  A fit through all would see 80
  // ppm.
  const auto skew = estimated(0, 60, 1e5, 1e7);
  ASSERT_TRUE(skew);
  EXPECT_LT(std::abs(skew->ppm()), 2);
}

TEST(SkewEstimator, NeedsThreeSlices) {
  SkewEstimator estimator;
  EXPECT_FALSE(estimator.estimate());
  estimator.add(timestamp_from_ns(0), Duration{5});
  estimator.add(timestamp_from_ns(10'000'000'000), Duration{5});
  EXPECT_FALSE(estimator.estimate());
  estimator.add(timestamp_from_ns(20'000'000'000), Duration{5});
  EXPECT_TRUE(estimator.estimate());
}

FlowDelay flow(std::uint16_t from, std::uint16_t to, std::int64_t min, std::int64_t max) {
  FlowDelay delay;
  delay.key.source_port = from;
  delay.key.destination_port = to;
  delay.mean_ns = static_cast<double>(min + max) / 2;
  delay.min_ns = min;
  delay.max_ns = max;
  return delay;
}

TEST(ClockOffset, LiesBetweenTheDirections) {
  // Offset 1000; 20 to 30 forward, 10 to 50 backward.
  const std::vector<FlowDelay> flows = {flow(1, 2, 1020, 1030), flow(2, 1, 950, 990),
                                        flow(3, 4, 7, 8)};
  const auto offset = clock_offset(flows);
  ASSERT_TRUE(offset);
  EXPECT_EQ(offset->low, Duration{990});
  EXPECT_EQ(offset->high, Duration{1020});
  EXPECT_EQ(offset->middle(), Duration{1005});
}

TEST(ClockOffset, IsUnknownIfAllGoesOneWay) {
  EXPECT_FALSE(clock_offset(std::vector<FlowDelay>{flow(1, 2, 20, 30), flow(3, 4, 20, 30)}));
}

}  // namespace
}  // namespace sojourn
