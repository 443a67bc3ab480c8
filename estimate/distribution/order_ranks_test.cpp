#include "estimate/distribution/order_ranks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

/// P(B = k) for B binomial(n, q), by logarithms: another way than the one under test.
double binomial(int n, double q, int k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                  k * std::log(q) + (n - k) * std::log1p(-q));
}

double at_most(int n, double q, int k) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) sum += binomial(n, q, i);
  return sum;
}

TEST(OrderRanks, AreTheTightestWithEachTailAtMostTwoAndAHalfPercent) {
  for (const int n : {1, 2, 5, 6, 20, 100, 350}) {
    for (const double q : {0.01, 0.25, 0.5, 0.75, 0.95, 0.99}) {
      const CdfLevels levels = cdf_levels(n, q, 0.95);
      const int low = static_cast<int>(std::lround(levels.low * n)),
                high = static_cast<int>(std::lround(levels.high * n));
      const auto where = testing::Message()
                         << "n " << n << " q " << q << " ranks " << low << " to " << high;
      // The quantile lies below sample `low` if at most low-1 samples are at or below it.
      if (levels.bounded_below) {
        EXPECT_LE(at_most(n, q, low - 1), 0.025 + 1e-9) << where;
      }
      if (levels.bounded_above) {
        EXPECT_LE(1 - at_most(n, q, high - 1), 0.025 + 1e-9) << where;
      }
      if (low < n) {
        EXPECT_GT(at_most(n, q, low), 0.025 - 1e-9) << where;
      }
      if (high > 1 && levels.bounded_above) {
        EXPECT_GT(1 - at_most(n, q, high - 2), 0.025 - 1e-9) << where;
      }
      if (!levels.bounded_above) {
        EXPECT_GT(std::pow(q, n), 0.025) << where;
      }
      if (!levels.bounded_below) {
        EXPECT_GT(std::pow(1 - q, n), 0.025) << where;
      }
    }
  }
}

TEST(OrderRanks, CoverAsPromisedWhereTheNormalApproximationTakesOver) {
  for (const auto& [n, q] :
       {std::pair{500, 0.5}, {5000, 0.5}, {5000, 0.95}, {11'000, 0.99}, {110'000, 0.999}}) {
    const CdfLevels levels = cdf_levels(n, q, 0.95);
    // Ranks between two whole ones cover between what the two cover.
    const int low = static_cast<int>(std::floor(levels.low * n)),
              high = static_cast<int>(std::floor(levels.high * n));
    const double coverage = at_most(n, q, high - 1) - at_most(n, q, low - 1);
    EXPECT_NEAR(coverage, 0.95, 0.015) << "n " << n << " q " << q;
  }
}

TEST(OrderRanks, KnowTheNormalScores) {
  EXPECT_NEAR(normal_score(0.95), 1.959963985, 1e-8);
  EXPECT_NEAR(normal_score(0.99), 2.575829304, 1e-8);
}

}  // namespace
}  // namespace sojourn
