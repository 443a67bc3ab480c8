#include "oneway/delay_moments.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(DelayMoments, GiveMeanAndBothDeviations) {
  DelayMoments moments;
  for (const auto delay : {2us, 4us, 4us, 4us, 5us, 5us, 7us, 9us}) moments.add(delay);
  EXPECT_EQ(moments.count(), 8u);
  EXPECT_DOUBLE_EQ(moments.mean_ns(), 5000);
  EXPECT_DOUBLE_EQ(moments.deviation_ns(), 2000);
  EXPECT_DOUBLE_EQ(moments.sample_deviation_ns(), 2000 * std::sqrt(8.0 / 7.0));
}

TEST(DelayMoments, OneDelayHasNoDeviation) {
  DelayMoments moments;
  EXPECT_EQ(moments.mean_ns(), 0);
  moments.add(-3ms);
  EXPECT_EQ(moments.mean_ns(), -3e6);
  EXPECT_EQ(moments.deviation_ns(), 0);
  EXPECT_EQ(moments.sample_deviation_ns(), 0);
}

TEST(DelayMoments, ClocksAYearApartDoNotHideAMicrosecond) {
  DelayMoments moments;
  for (int i = 0; i < 1'000'000; ++i) moments.add(8760h + (i % 2 ? 1us : -1us));
  EXPECT_NEAR(moments.deviation_ns(), 1000, 1e-3);
}

}  // namespace
}  // namespace sojourn
