#include "estimate/distribution/moments.h"

#include <gtest/gtest.h>

#include <array>

namespace sojourn {
namespace {

TEST(CompensatedSum, CarriesWhatEachAdditionLoses) {
  CompensatedSum sum, other;
  sum.add(1e16);
  for (int i = 0; i < 10'000; ++i) sum.add(1), other.add(0.1);
  EXPECT_EQ(sum.value(), 1e16 + 1e4) << "each one alone is below the last digit";
  EXPECT_EQ(other.value(), 1000);
  sum.add(other);
  EXPECT_EQ(sum.value(), 1e16 + 1.1e4);
}

TEST(Moments, CountPlainAndWeightedSamplesTogether) {
  Moments moments;
  moments.add(10, 1);
  moments.add_plain(std::array<std::int64_t, 2>{20, -30});
  EXPECT_TRUE(moments.all_weights_are_one());
  moments.add(100, 4);
  EXPECT_FALSE(moments.all_weights_are_one());
  EXPECT_EQ(moments.count(), 4u);
  EXPECT_EQ(moments.total_weight(), 7);
  EXPECT_EQ(moments.total_squared_weight(), 19);
  EXPECT_EQ(moments.mean(), 400.0 / 7);
  EXPECT_EQ(moments.min(), -30);
  EXPECT_EQ(moments.max(), 100);
  EXPECT_EQ(moments.min_weight(), 1);
  EXPECT_EQ(moments.max_weight(), 4);
}

TEST(Moments, OfManyWeightedSamplesAreThoseOfEach) {
  const std::array<std::int64_t, 4> delays = {30, -20, 30, 70};
  const std::array<double, 4> weights = {4, 2.5, 8, 1.5};
  Moments together, single;
  together.add_weighted(delays, weights);
  for (std::size_t i = 0; i < delays.size(); ++i) single.add(delays[i], weights[i]);
  EXPECT_EQ(together.count(), 4u);
  EXPECT_FALSE(together.all_weights_are_one());
  EXPECT_EQ(together.total_weight(), 16);
  EXPECT_EQ(together.total_squared_weight(), single.total_squared_weight());
  EXPECT_EQ(together.mean(), single.mean());
  EXPECT_EQ(together.min(), -20);
  EXPECT_EQ(together.max(), 70);
  EXPECT_EQ(together.min_weight(), 2.5);
  EXPECT_EQ(together.max_weight(), 1.5);
}

TEST(Moments, OfEqualDelaysTheLightestIsFirstAndTheHeaviestLast) {
  Moments moments;
  for (const double weight : {3.0, 2.0, 5.0, 4.0}) moments.add(7, weight);
  EXPECT_EQ(moments.min_weight(), 2);
  EXPECT_EQ(moments.max_weight(), 5);
}

TEST(Moments, MergedAreThoseOfAllSamples) {
  Moments one, two, all, none;
  const auto add = [&all](Moments& part, std::int64_t ns, double weight) {
    part.add(ns, weight);
    all.add(ns, weight);
  };
  add(one, 5, 1);
  add(one, 9, 2.5);
  add(two, 5, 0.5);
  add(two, 8, 1);
  one.merge(two);
  one.merge(none);
  EXPECT_EQ(one.count(), all.count());
  EXPECT_EQ(one.total_weight(), all.total_weight());
  EXPECT_EQ(one.total_squared_weight(), all.total_squared_weight());
  EXPECT_EQ(one.mean(), all.mean());
  EXPECT_EQ(one.min_weight(), 0.5);
  EXPECT_EQ(one.max_weight(), 2.5);
}

TEST(Moments, OfABucketGoByItsMiddleAndKishsNumber) {
  Moments plain;
  plain.add_bucket(100, 102, 3, 3);
  EXPECT_TRUE(plain.all_weights_are_one());
  EXPECT_EQ(plain.count(), 3u);
  EXPECT_EQ(plain.mean(), 101);
  Moments weighted;
  weighted.add_bucket(100, 102, 12, 36);  // four of weight 3
  EXPECT_EQ(weighted.count(), 4u);
  EXPECT_EQ(weighted.total_weight(), 12);
  EXPECT_EQ(weighted.total_squared_weight(), 36);
  EXPECT_EQ(weighted.mean(), 101);
  EXPECT_EQ(weighted.min(), 100);
  EXPECT_EQ(weighted.max(), 102);
  EXPECT_EQ(weighted.min_weight(), 3);
  Moments light;
  light.add_bucket(0, 0, 0.25, 1);
  EXPECT_EQ(light.count(), 1u) << "whatever is there is at least one sample";
}

}  // namespace
}  // namespace sojourn
