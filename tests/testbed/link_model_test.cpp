#include "tests/testbed/link_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace sojourn::testbed {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t seed = 20261115;
constexpr int n = 100'000;
constexpr double false_alarm = 1e-9;

/// n frames of 1000 bytes, one every `gap`.
std::vector<Passage> play(const LinkOptions& options, Duration gap = 100us, int frames = n) {
  LinkModel link{options, seed};
  std::vector<Passage> passages;
  for (int i = 0; i < frames; ++i) passages.push_back(link.enter(Timestamp{} + i * gap, 1000));
  return passages;
}

int count(const std::vector<Passage>& passages, Fate fate) {
  return static_cast<int>(std::ranges::count(passages, fate, &Passage::fate));
}

/// Hoeffding: n independent draws of a chance `expected` have a share outside expected +- eps with
/// probability at most 2 exp(-2 n eps^2).
bool share_agrees(int hits, double expected) {
  const double eps = std::sqrt(std::log(2 / false_alarm) / (2.0 * n));
  return std::abs(hits / double{n} - expected) <= eps;
}

double mean_extra_seconds(const std::vector<Passage>& passages, Duration gap, Duration delay) {
  double sum = 0;
  for (std::size_t i = 0; i < passages.size(); ++i)
    sum += std::chrono::duration<double>(passages[i].leaves - Timestamp{} -
                                         static_cast<int>(i) * gap - delay)
               .count();
  return sum / static_cast<double>(passages.size());
}

bool in_order(const std::vector<Passage>& passages) {
  return std::ranges::is_sorted(passages, {}, &Passage::leaves);
}

TEST(LinkModel, AnIdleLinkAddsItsDelayExactly) {
  for (const auto& passage : play({.delay = 20ms}, 1s, 3)) EXPECT_EQ(passage.fate, Fate::forwarded);
  EXPECT_EQ(play({.delay = 20ms}, 1s, 3)[2].leaves, Timestamp{} + 2s + 20ms);
}

TEST(LinkModel, SerialisationTakesLengthOverRate) {
  // 1000 bytes at 8 Mbit/s take 1 ms; three at once leave one after the other.
  const auto passages = play({.delay = 5ms, .bits_per_second = 8e6}, 0ns, 3);
  EXPECT_EQ(passages[0].leaves, Timestamp{} + 6ms);
  EXPECT_EQ(passages[1].leaves, Timestamp{} + 7ms);
  EXPECT_EQ(passages[2].leaves, Timestamp{} + 8ms);
}

TEST(LinkModel, AFullQueueDropsTheNewcomer) {
  const auto passages = play({.bits_per_second = 8e6, .queue_bytes = 2500}, 0ns, 4);
  EXPECT_EQ(passages[1].fate, Fate::forwarded);
  EXPECT_EQ(passages[2].fate, Fate::queue_drop);
  EXPECT_EQ(passages[3].fate, Fate::queue_drop);
}

TEST(LinkModel, LossHitsItsShare) {
  const int lost = count(play({.loss = 0.05}), Fate::lost);
  EXPECT_TRUE(share_agrees(lost, 0.05)) << lost;
  EXPECT_FALSE(share_agrees(lost, 0.07)) << "the bound would not notice two points more";
}

TEST(LinkModel, BurstsLoseTheirShareAndComeInRuns) {
  // Gilbert-Elliott: the bad state holds enter / (enter + leave) of the frames, in runs of 1/leave.
  const auto passages = play({.burst_enter = 0.01, .burst_leave = 0.25});
  const int lost = count(passages, Fate::lost);
  int runs = 0;
  for (std::size_t i = 1; i < passages.size(); ++i)
    runs += passages[i].fate == Fate::lost && passages[i - 1].fate != Fate::lost;
  EXPECT_NEAR(lost / double{n}, 0.01 / 0.26, 0.006);  // 6 standard errors with run length 4
  EXPECT_NEAR(lost / double(runs), 4.0, 0.7);         // 6 standard errors of ~960 geometric runs
}

TEST(LinkModel, JitterKeepsTheOrderUnlessAllowed) {
  LinkOptions options{.delay = 20ms, .jitter = 5ms, .shape = JitterShape::uniform};
  const auto kept = play(options);
  EXPECT_TRUE(in_order(kept));
  EXPECT_EQ(count(kept, Fate::reordered), 0);
  options.jitter_may_reorder = true;
  const auto mixed = play(options);
  EXPECT_FALSE(in_order(mixed));
  EXPECT_GT(count(mixed, Fate::reordered), n / 2);
}

TEST(LinkModel, ADetourLetsTheNextFramesPass) {
  const auto passages = play({.delay = 10ms, .reorder = 0.02, .reorder_extra = 3ms});
  EXPECT_FALSE(in_order(passages));
  EXPECT_TRUE(share_agrees(count(passages, Fate::reordered), 0.02));
  for (std::size_t i = 0; i < passages.size(); ++i)
    ASSERT_EQ(passages[i].leaves - Timestamp{} - static_cast<int>(i) * 100us,
              passages[i].fate == Fate::reordered ? 13ms : 10ms);
}

TEST(LinkModel, CopiesAreSentAtTheirShare) {
  int copies = 0;
  for (const auto& passage : play({.duplicate = 0.1})) copies += passage.copy_leaves.has_value();
  EXPECT_TRUE(share_agrees(copies, 0.1)) << copies;
}

TEST(LinkModel, EveryShapeHasItsMean) {
  // The gap is wider than the jitter can be, so that waiting for the frame in front adds nothing.
  // Standard deviations of one jitter unit: 1/sqrt(3), 1, 1, sqrt(5); 6 standard errors of n.
  const double margin = 6 * std::sqrt(5.0 / n) * 1e-3;
  const std::pair<JitterShape, double> shapes[] = {{JitterShape::constant, 0},
                                                   {JitterShape::uniform, 0},
                                                   {JitterShape::normal, 0},
                                                   {JitterShape::exponential, 1e-3},
                                                   {JitterShape::pareto, 1e-3}};
  for (const auto& [shape, mean] : shapes) {
    const auto passages = play({.delay = 20ms, .jitter = 1ms, .shape = shape}, 100s);
    EXPECT_NEAR(mean_extra_seconds(passages, 100s, 20ms), mean, margin) << static_cast<int>(shape);
  }
}

TEST(LinkModel, LuckDoesNotDependOnOtherOptions) {
  const auto plain = play({.loss = 0.05});
  const auto rich = play(
      {.delay = 20ms, .jitter = 5ms, .shape = JitterShape::pareto, .loss = 0.05, .duplicate = 0.1});
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(plain[i].fate == Fate::lost, rich[i].fate == Fate::lost) << i;
}

}  // namespace
}  // namespace sojourn::testbed
