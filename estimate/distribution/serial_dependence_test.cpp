#include "estimate/distribution/serial_dependence.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

constexpr std::array<std::int64_t, 3> levels = {-674'000, 0,
                                                674'000};  // quartiles of what draw() makes

/// Normal samples, each with this correlation to the one before.
double inflation_of(double correlation, int samples, std::mt19937_64& random, double weight = 1) {
  SampleLog log;
  std::normal_distribution<double> normal;
  double z = normal(random);
  for (int i = 0; i < samples; ++i) {
    if (log.full()) log.grow();
    log.append(std::llround(1e6 * z), weight);
    z = correlation * z + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return variance_inflation(log, levels);
}

double mean_inflation(double correlation, double weight = 1) {
  std::mt19937_64 random{test_seed()};
  double sum = 0;
  for (int i = 0; i < 200; ++i) sum += inflation_of(correlation, 2000, random, weight) / 200;
  return sum;
}

// The variance of the share below the median is inflated by 1 + 2 sum of (2/pi)
// asin(correlation^k), which is 5.96 for 0.8.  One estimate from 20 batches has an error of a
// third.  The greatest of three is some 20 % above, and the mean of 200 has an error of 3 %.
TEST(SerialDependence, IsFoundWhereItIs) {
  double truth = 1;
  for (int k = 1; k < 100; ++k) truth += 2 * 2 / M_PI * std::asin(std::pow(0.8, k));
  const double found = mean_inflation(0.8);
  EXPECT_GT(found, 0.9 * truth) << "seed " << test_seed();
  EXPECT_LT(found, 1.5 * truth) << "seed " << test_seed();
}

TEST(SerialDependence, IsHardlySeenWhereThereIsNone) {
  EXPECT_LT(mean_inflation(0), 1.4) << "seed " << test_seed();
  EXPECT_GE(mean_inflation(0), 1);
}

TEST(SerialDependence, DoesNotDependOnTheUnitOfWeight) {
  EXPECT_NEAR(mean_inflation(0.5, 7), mean_inflation(0.5), 1e-9);
}

// Ten batches of five are all below the level and ten all above it.  Each differs from what it
// should have by 2.5, with 19 degrees of freedom; independent samples would have 100 / 4.
TEST(SerialDependence, IsTheVarianceBetweenBatchesOverThatOfIndependentSamples) {
  SampleLog log;
  for (int i = 0; i < 100; ++i) {
    if (log.full()) log.grow();
    log.append(i < 50 ? -1 : 1, 1);
  }
  EXPECT_NEAR(variance_inflation(log, std::array<std::int64_t, 1>{0}),
              20 * 2.5 * 2.5 * 20 / 19 / 25, 1e-9);
}

TEST(SerialDependence, IsNotLookedForInFewOrEqualSamples) {
  std::mt19937_64 random{test_seed()};
  EXPECT_EQ(inflation_of(0.99, 14, random), 1);
  SampleLog same;
  for (int i = 0; i < 100; ++i) {
    if (same.full()) same.grow();
    same.append(5, 1);
  }
  EXPECT_EQ(variance_inflation(same, levels), 1);
}

}  // namespace
}  // namespace sojourn
