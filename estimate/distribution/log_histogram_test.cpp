#include "estimate/distribution/log_histogram.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

constexpr auto lowest_ns = std::numeric_limits<std::int64_t>::min();
constexpr auto highest_ns = std::numeric_limits<std::int64_t>::max();

TEST(LogBuckets, FollowOneAnotherWithoutGapFromTheLowestToTheHighestDelay) {
  EXPECT_EQ(LogBuckets::lowest(-LogBuckets::per_sign), lowest_ns);
  EXPECT_EQ(LogBuckets::highest(LogBuckets::per_sign - 1), highest_ns);
  for (std::int32_t index = -LogBuckets::per_sign; index < LogBuckets::per_sign; ++index) {
    const auto low = LogBuckets::lowest(index), high = LogBuckets::highest(index);
    ASSERT_LE(low, high) << index;
    ASSERT_EQ(LogBuckets::index_of(low), index);
    ASSERT_EQ(LogBuckets::index_of(high), index);
    if (index > -LogBuckets::per_sign) {
      ASSERT_EQ(LogBuckets::highest(index - 1) + 1, low) << index;
    }
  }
}

TEST(LogBuckets, AreAsNarrowAsPromised) {
  for (std::int32_t index = 1; index < LogBuckets::per_sign; ++index) {
    const auto low = static_cast<double>(LogBuckets::lowest(index)),
               high = static_cast<double>(LogBuckets::highest(index));
    ASSERT_LE((high - low) / low, LogBuckets::relative_width) << index;
  }
}

TEST(LogHistogram, SumsWeightsAndTheirSquaresPerBucket) {
  std::mt19937_64 random{test_seed()};
  LogHistogram histogram, other;
  std::map<std::int32_t, double> weights, squares;
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random()) >> (random() % 64);
    const double weight = i < 10'000 ? 1 : static_cast<double>(1 + random() % 9);
    (i % 3 == 0 ? other : histogram).add(ns, weight);
    weights[LogBuckets::index_of(ns)] += weight;
    squares[LogBuckets::index_of(ns)] += weight * weight;
  }
  histogram.merge(other);

  std::map<std::int32_t, double> seen_weights, seen_squares;
  histogram.weights().for_each(
      [&](std::int32_t bucket, double amount) { seen_weights[bucket] = amount; });
  histogram.squares().for_each(
      [&](std::int32_t bucket, double amount) { seen_squares[bucket] = amount; });
  EXPECT_EQ(seen_weights, weights) << "seed " << test_seed();
  EXPECT_EQ(seen_squares, squares) << "seed " << test_seed();
}

}  // namespace
}  // namespace sojourn
