#include "estimate/distribution/inverse_variance.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sojourn {
namespace {

TEST(InverseVariance, SharesABinByTheInverseOfTheSumOfSquares) {
  std::vector<FridgeSample> samples = {{1000, 2, 0}, {1010, 2, 0}, {1000, 4, 1}, {1'000'000, 7, 1}};
  weigh_by_inverse_variance(samples);
  // Bin of 1 us: V_0 = 8, V_1 = 16, so the shares are 2/3 and 1/3.  Alone in its bin: all of it.
  EXPECT_DOUBLE_EQ(samples[0].weight, 2 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(samples[1].weight, 2 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(samples[2].weight, 4 * 1.0 / 3);
  EXPECT_DOUBLE_EQ(samples[3].weight, 7);
}

TEST(InverseVariance, KeepsNegativeDelaysAndNothing) {
  std::vector<FridgeSample> samples;
  weigh_by_inverse_variance(samples);
  samples = {{-1000, 3, 7}};
  weigh_by_inverse_variance(samples);
  EXPECT_DOUBLE_EQ(samples[0].weight, 3);
}

double mean_total(double pairs, double chance, int runs) {
  std::mt19937_64 random{20'261'115};
  std::binomial_distribution<int> caught{static_cast<int>(pairs), chance};
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<FridgeSample> samples;
    for (std::uint8_t fridge = 0; fridge < 2; ++fridge)
      for (int i = caught(random); i > 0; --i) samples.push_back({1000, 1 / chance, fridge});
    weigh_by_inverse_variance(samples);
    for (const FridgeSample& sample : samples) sum += sample.weight;
  }
  return sum / runs / pairs;
}

// Two equal fridges of n_1 and n_2 samples: the estimate is the harmonic mean of theirs.  It is
// right for many samples and too low for few: about 1 - 1/(2n) of the truth for n samples a fridge.
TEST(InverseVariance, IsRightForManySamplesAndTooLowForFew) {
  EXPECT_NEAR(mean_total(100'000, 0.1, 200), 1, 0.001);
  EXPECT_NEAR(mean_total(100, 0.1, 20'000), 0.95, 0.02);
  EXPECT_LT(mean_total(100, 0.1, 20'000), 0.97);
}

}  // namespace
}  // namespace sojourn
