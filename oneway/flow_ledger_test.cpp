#include "oneway/flow_ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

DelaySums sums_of(std::initializer_list<Duration> delays) {
  DelaySums sums;
  for (const Duration delay : delays) sums.add(to_ns(delay));
  return sums;
}

TEST(DelaySums, GiveMeanDeviationAndExtremes) {
  const DelaySums sums = sums_of({2us, 4us, 4us, 4us, 5us, 5us, 7us, 9us});
  EXPECT_EQ(sums.count, 8u);
  EXPECT_EQ(sums.mean_ns(), 5000);
  EXPECT_EQ(sums.stddev_ns(), 2000);
  EXPECT_EQ(sums.min_ns, 2000);
  EXPECT_EQ(sums.max_ns, 9000);
}

TEST(DelaySums, EqualDelaysDoNotDeviate) {
  EXPECT_EQ(sums_of({7us}).stddev_ns(), 0);
  EXPECT_EQ(sums_of({-7us, -7us, -7us}).stddev_ns(), 0);
}

// Both have their own first delay, from which they count.
TEST(DelaySums, MergedAreAsIfAddedOneByOne) {
  DelaySums sums = sums_of({4us, 9us, 5us});
  sums.merge(sums_of({2us, 4us, 7us, 4us, 5us}));
  sums.merge({});
  EXPECT_EQ(sums.count, 8u);
  EXPECT_EQ(sums.mean_ns(), 5000);
  EXPECT_EQ(sums.stddev_ns(), 2000);
  EXPECT_EQ(sums.min_ns, 2000);
  EXPECT_EQ(sums.max_ns, 9000);
  DelaySums none;
  none.merge(sums);
  EXPECT_EQ(none.stddev_ns(), 2000);
}

}  // namespace
}  // namespace sojourn
