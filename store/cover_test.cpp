#include "store/cover.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp epoch = timestamp_from_ns(0);

// Every slice of ten seconds is in exactly one range, for any question.
TEST(Cover, TakesEveryMomentOnce) {
  std::mt19937_64 random{5};
  for (int round = 0; round < 300; ++round) {
    TierState state;
    const Timestamp now = epoch + 10s * static_cast<int>(100'000 + random() % 100'000);
    Timestamp complete = now - 2min;
    for (std::size_t tier = 0; tier + 1 < state.tiers.size(); ++tier) {
      complete = slice_of(complete, state.tiers[tier + 1].slice);
      state.merged_until[tier] = complete;
    }
    const Timestamp from = now - 10s * static_cast<int>(random() % 20'000);
    const Timestamp to = from + 10s * static_cast<int>(1 + random() % 20'000);
    const Duration longest = state.tiers[random() % 4].slice;
    std::set<Timestamp> seen;
    for (const TierRange& range : cover(state, from, to, longest)) {
      EXPECT_LE(state.tiers[range.tier].slice, longest);
      for (Timestamp at = range.from; at < range.to; at += 10s)
        EXPECT_TRUE(seen.insert(at).second) << "round " << round;
    }
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(*seen.begin(), from) << "round " << round;
    EXPECT_EQ(*seen.rbegin() + 10s, to) << "round " << round;
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), (to - from) / Duration{10s});
  }
}

TEST(Cover, ADayTakesFewLongSlices) {
  TierState state;
  const Timestamp now = epoch + 24h * 100;
  state.merged_until = {now - 10min, now - 20min, now - 6h, epoch};
  std::size_t slices = 0;
  for (const TierRange& range : cover(state, now - 24h, now, Duration::max()))
    slices += static_cast<std::size_t>((range.to - range.from) / state.tiers[range.tier].slice);
  EXPECT_LE(slices, 3u + 34u + 10u + 60u);
}

TEST(Cover, TakesLongSlicesWhereTheShortOnesAreGone) {
  TierState state;
  const Timestamp now = epoch + 24h * 1000;
  state.merged_until = {now - 10min, now - 20min, now - 6h, epoch};
  state.dropped_until = {now - 48h, now - 24h * 14, now - 24h * 90, epoch};
  const auto ranges = cover(state, now - 24h * 200 + 1h, now - 24h * 199, 10s);
  ASSERT_FALSE(ranges.empty());
  for (const TierRange& range : ranges) EXPECT_EQ(range.tier, 3u);
  EXPECT_LE(ranges.front().from, now - 24h * 200 + 1h);
  EXPECT_GE(ranges.back().to, now - 24h * 199);
}

}  // namespace
}  // namespace sojourn
