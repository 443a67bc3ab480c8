#include "estimate/share_estimate.h"

#include <gtest/gtest.h>

#include <random>

#include "estimate/unanswered.h"

namespace sojourn {
namespace {

TEST(ShareEstimate, IsWilsonsForIndependentTrials) {
  const ShareEstimate share = share_of(10, 100);
  EXPECT_DOUBLE_EQ(share.value, 0.1);
  EXPECT_NEAR(share.low, 0.0552, 1e-3);
  EXPECT_NEAR(share.high, 0.1744, 1e-3);
  EXPECT_EQ(share_of(0, 100).low, 0);
  EXPECT_NEAR(share_of(0, 100).high, 0.037, 1e-3) << "none of 100 may still be 4 %";
  EXPECT_EQ(share_of(100, 100).high, 1);
  EXPECT_FALSE(share_of(0, 0).bounded);
}

TEST(ShareEstimate, IsUnboundedWithFewFlows) {
  ClusteredCounts counts;
  for (int i = 0; i < 3; ++i) counts.whole[static_cast<std::size_t>(i)] = 1000;
  counts.seen = 3000;
  EXPECT_FALSE(share_of(counts).bounded);
  counts.whole[3] = 1000;
  EXPECT_TRUE(share_of(counts).bounded);
}

/// Flows of 5 to 50 packets, of which a fifth loses 8 % and the others 0.5 %: 2 % of the packets.
/// `together` makes the interval as if packets were independent.
double coverage(int runs, bool together) {
  std::mt19937_64 random{5};
  std::uniform_real_distribution<double> uniform;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    ClusteredCounts counts;
    for (int flow = 0; flow < 200; ++flow) {
      const std::size_t group = random() % ClusteredCounts::groups;
      const double chance = uniform(random) < 0.2 ? 0.08 : 0.005;
      const int packets = 5 + static_cast<int>(random() % 46);
      for (int i = 0; i < packets; ++i)
        counts.part[group] += uniform(random) < chance ? 1.0f : 0.0f;
      counts.whole[group] += static_cast<float>(packets);
      counts.seen += static_cast<std::uint64_t>(packets);
    }
    ShareEstimate share = share_of(counts);
    if (together)
      share =
          share_of(static_cast<std::uint64_t>(share.part), static_cast<std::uint64_t>(share.whole));
    covered += share.low <= 0.02 && 0.02 <= share.high;
  }
  return static_cast<double>(covered) / runs;
}

/// 1000 runs of a 95 % interval: below 92.5 % with probability 3e-4 if it covers 95 %.
TEST(ShareEstimate, CoversTheTruthWhenFlowsDiffer) { EXPECT_GE(coverage(1000, false), 0.925); }

TEST(ShareEstimate, WouldNoticeThatFlowsWereForgotten) { EXPECT_LT(coverage(1000, true), 0.925); }

TEST(RequestCounts, GiveTheShareOfThoseWithoutAnswer) {
  const RequestCounts exact{.requests = 200, .answers = 180, .answered = 180};
  EXPECT_DOUBLE_EQ(exact.unanswered(false).value, 0.1);
  EXPECT_DOUBLE_EQ(exact.unanswered(false).part, 20);
  EXPECT_NEAR(exact.unanswered(false).low, 0.066, 0.001) << "Wilson";
  const RequestCounts few{.requests = 1000, .answers = 9, .answered = 900};
  EXPECT_DOUBLE_EQ(few.unanswered(true).value, 0.1);
  EXPECT_LT(few.unanswered(true).low, 0.02) << "nine answers do not know more";
  EXPECT_GT(few.unanswered(true).high, 0.3);
  EXPECT_EQ((RequestCounts{.requests = 10, .answers = 4, .answered = 12}).unanswered(true).part, 0);
}

}  // namespace
}  // namespace sojourn
