#include "roundtrip/rules/coarse_time.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

TEST(CoarseTime, IsRightToAStep) {
  for (const Duration wait : {Duration{0}, Duration{1s}, Duration{10min}, Duration{24h * 300},
                              Duration{-1s}, Duration{-24h}}) {
    const Duration found = difference(start + wait, CoarseTime{start});
    EXPECT_LE(found, wait + 17ms);
    EXPECT_GE(found, wait - 17ms);
  }
}

TEST(CoarserTime, IsOlderOnlyIfSurelySo) {
  const CoarserTime then{start};
  for (const Duration patience : {Duration{100ms}, Duration{1s}, Duration{10s}, Duration{1h}}) {
    const unsigned steps = CoarserTime::steps_in(patience);
    EXPECT_FALSE(then.is_older(steps, CoarserTime{start + patience})) << to_ns(patience);
    EXPECT_TRUE(then.is_older(steps, CoarserTime{start + patience + 270ms})) << to_ns(patience);
  }
}

TEST(CoarserTime, TimesThatGoBackAreNotOld) {
  const CoarserTime then{start};
  EXPECT_FALSE(then.is_older(0, CoarserTime{start - 200ms}));
  EXPECT_FALSE(then.is_older(75, CoarserTime{start - 1h}));
}

TEST(CoarserTime, StepsAreRoundedUpAndBounded) {
  constexpr Duration step{1 << 27};
  EXPECT_EQ(CoarserTime::steps_in(Duration{0}), 0u);
  EXPECT_EQ(CoarserTime::steps_in(Duration{1}), 1u);
  EXPECT_EQ(CoarserTime::steps_in(step), 1u);
  EXPECT_EQ(CoarserTime::steps_in(step + Duration{1}), 2u);
  EXPECT_EQ(CoarserTime::steps_in(24h), 0x7fffu);
  EXPECT_FALSE(CoarserTime{start}.is_older(CoarserTime::steps_in(24h), CoarserTime{start + 1h}));
}

}  // namespace
}  // namespace sojourn
