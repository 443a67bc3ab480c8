#include "estimate/distribution/tail_functions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

TEST(TailFunctions, KnowTheNormalScores) {
  EXPECT_NEAR(normal_score(0.95), 1.959963985, 1e-8);
  EXPECT_NEAR(normal_score(0.99), 2.575829304, 1e-8);
}

TEST(TailFunctions, KnowStudentsScores) {  // tables of the t distribution
  EXPECT_NEAR(student_score(0.95, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_score(0.95, 4), 2.7764, 1e-4);
  EXPECT_NEAR(student_score(0.95, 31), 2.0395, 1e-4);
  EXPECT_NEAR(student_score(0.999, 10), 4.5869, 1e-4);
  EXPECT_NEAR(student_score(0.95, 1e7), normal_score(0.95), 1e-5);
}

TEST(TailFunctions, TheIncompleteBetaOfWholeNumbersIsABinomialSum) {
  for (const double q : {0.001, 0.3, 0.5, 0.97})
    for (const auto& [n, k] : {std::pair{1, 1}, {10, 3}, {40, 39}, {800, 400}}) {
      double at_least = 0;  // P(binomial(n, q) >= k) = I_q(k, n + 1 - k)
      for (int i = k; i <= n; ++i)
        at_least += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) -
                             std::lgamma(n - i + 1.0) + i * std::log(q) + (n - i) * std::log1p(-q));
      EXPECT_NEAR(incomplete_beta(k, n + 1 - k, q), at_least, 1e-9) << n << ' ' << k << ' ' << q;
    }
}

}  // namespace
}  // namespace sojourn
