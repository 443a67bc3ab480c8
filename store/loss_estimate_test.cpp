#include "store/loss_estimate.h"

#include <gtest/gtest.h>

#include <random>

namespace sojourn {
namespace {

/// 2 000 flows of `packets` packets; a flow loses each packet with the same probability, or all of
/// a train at once.
LossSums simulate(std::mt19937_64& random, double loss, bool together) {
  LossSums sums;
  for (std::uint64_t flow = 0; flow < 2'000; ++flow) {
    const unsigned group = FlowTag::of(random()).group();
    const auto lost = [&] { return static_cast<double>(random() % 1'000'000) < loss * 1e6; };
    const bool all = lost();
    for (int packet = 0; packet < 10; ++packet) {
      sums.sent[group] += 1;
      if (!(together ? all : lost())) sums.arrived[group] += 1;
    }
  }
  return sums;
}

double coverage(bool together) {
  std::mt19937_64 random{1};
  int held = 0;
  for (int run = 0; run < 1'000; ++run) {
    const auto loss = loss_estimate(simulate(random, 0.03, together));
    held += loss->low <= 0.03 && 0.03 <= loss->high;
  }
  return held / 1'000.0;
}

// 95 % nominal; 1 000 runs scatter by 0.7 % (one deviation), so 92.2 % is four below.
TEST(LossEstimate, TheIntervalHoldsForIndependentLosses) { EXPECT_GE(coverage(false), 0.922); }

// Flows that lose all or nothing: ten packets are one sample.  Without groups of flows the interval
// would be three times too narrow and hold in about half of the runs.
TEST(LossEstimate, TheIntervalHoldsForFlowsThatLoseTogether) { EXPECT_GE(coverage(true), 0.90); }

TEST(LossEstimate, UnseenFlowsWidenTheIntervalUpwardsOnly) {
  LossSums sums;
  sums.sent.fill(100);
  sums.arrived.fill(99);
  const auto without = loss_estimate(sums);
  sums.unseen.fill(5);
  const auto with = loss_estimate(sums);
  EXPECT_DOUBLE_EQ(with->share, without->share);
  EXPECT_DOUBLE_EQ(with->low, without->low);
  EXPECT_GT(with->high, 6.0 / 105);
}

// Every group loses the same share, as independent packets do: the interval is no wider than
// Wilson's.  The numbers are those of Newcombe 1998, table I.
TEST(LossEstimate, EvenLossesHaveTheIntervalOfIndependentPackets) {
  const double groups = FlowTag::groups;
  LossSums sums;
  sums.sent.fill(263 / groups);
  sums.arrived.fill((263 - 81) / groups);
  const auto all_seen = loss_estimate(sums);
  EXPECT_NEAR(all_seen->low, 0.2553, 0.00005);
  EXPECT_NEAR(all_seen->high, 0.3662, 0.00005);
  // At worst all that was not seen was lost, too.
  sums.sent.fill((263 - 21) / groups);
  sums.unseen.fill(21 / groups);
  EXPECT_NEAR(loss_estimate(sums)->high, 0.3662, 0.00005);
}

TEST(LossEstimate, NothingSentIsNoLoss) { EXPECT_FALSE(loss_estimate(LossSums{})); }

}  // namespace
}  // namespace sojourn
