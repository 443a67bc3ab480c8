#include "estimate/distribution/order_ranks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

/// P(B = k) for B binomial(n, q), by logarithms: independent of the code under test.
double binomial(int n, double q, int k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                  k * std::log(q) + (n - k) * std::log1p(-q));
}

double at_most(int n, double q, int k) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) sum += binomial(n, q, i);
  return sum;
}

double rank(double level, int n) { return level * n + 0.5; }

TEST(OrderRanks, LieBetweenTheWholeRanksThatTheBinomialGives) {
  for (const int n : {1, 2, 5, 6, 20, 100, 350}) {
    for (const double q : {0.01, 0.25, 0.5, 0.75, 0.95, 0.99}) {
      const CdfLevels levels = cdf_levels(n, q, 0.95);
      const auto where = testing::Message() << "n " << n << " q " << q << " ranks "
                                            << rank(levels.low, n) << ' ' << rank(levels.high, n);
      // The quantile is below sample k if at most k-1 samples are at or below it.
      if (levels.bounded_below) {
        const int low = static_cast<int>(std::floor(rank(levels.low, n) + 1e-9));
        EXPECT_LE(at_most(n, q, low - 1), 0.025 + 1e-9) << where;
        EXPECT_GE(at_most(n, q, low), 0.025 - 1e-9) << where;
      } else {
        EXPECT_GT(std::pow(1 - q, n), 0.025) << where;
      }
      if (levels.bounded_above) {
        const int high = static_cast<int>(std::ceil(rank(levels.high, n) - 1e-9));
        EXPECT_LE(1 - at_most(n, q, high - 1), 0.025 + 1e-9) << where;
        EXPECT_GE(1 - at_most(n, q, high - 2), 0.025 - 1e-9) << where;
      } else {
        EXPECT_GT(std::pow(q, n), 0.025) << where;
      }
    }
  }
}

TEST(OrderRanks, CoverAsPromisedWhereTheNormalApproximationTakesOver) {
  for (const auto& [n, q] :
       {std::pair{2000, 0.5}, {5000, 0.5}, {10'000, 0.95}, {50'000, 0.99}, {500'000, 0.999}}) {
    const CdfLevels levels = cdf_levels(n, q, 0.95);
    // The coverage of a fractional rank is between those of its two neighbours.
    const int low = static_cast<int>(std::floor(rank(levels.low, n))),
              high = static_cast<int>(std::floor(rank(levels.high, n)));
    const double coverage = at_most(n, q, high - 1) - at_most(n, q, low - 1);
    EXPECT_NEAR(coverage, 0.95, 0.008) << "n " << n << " q " << q;
  }
}

TEST(OrderRanks, TakeEffectiveSizesThatAreNotWhole) {
  const double below = cdf_levels(30, 0.5, 0.95).low, between = cdf_levels(30.5, 0.5, 0.95).low,
               above = cdf_levels(31, 0.5, 0.95).low;
  EXPECT_LT(below, between);
  EXPECT_LT(between, above);
}

}  // namespace
}  // namespace sojourn
