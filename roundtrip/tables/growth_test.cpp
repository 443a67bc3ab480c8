#include "roundtrip/tables/growth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

TEST(Growth, IsTheExponentialWithinOneInAHundredMillion) {
  double worst = 0;
  for (int i = -700'000; i <= 700'000; ++i) {
    const double x = i * 1e-3 + 1e-5 * (i % 7);
    if (std::fabs(x) > 700) continue;
    worst = std::fmax(worst, std::fabs(growth(x) / std::exp(x) - 1));
  }
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT(worst, 1e-10);  // otherwise the polynomial is longer than necessary
  EXPECT_EQ(growth(0), 1);
}

}  // namespace
}  // namespace sojourn
