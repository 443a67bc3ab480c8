#include "oneway/lda/lda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const LdaOptions one_bank{{{64, 1.0}}, 5};

TEST(Lda, WithoutLossTheMeanIsExact) {
  LdaSketch first{one_bank}, last{one_bank};
  double sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const Duration delay{static_cast<std::int64_t>(1000 + i % 77)};
    first.add(i, test_time(i * 1us));
    last.add(i, test_time(i * 1us) + delay);
    sum += static_cast<double>(to_ns(delay));
  }
  const auto estimate = lda_estimate(first, last);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->packets, 10'000u);
  EXPECT_EQ(estimate->usable_buckets, 64u);
  EXPECT_NEAR(estimate->mean_ns, sum / 10'000, 1e-9);
}

TEST(Lda, ABucketThatLostAPacketIsLeftOut) {
  LdaSketch first{one_bank}, last{one_bank};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    first.add(i, test_time(0s));
    if (i != 7) last.add(i, test_time(5us));
  }
  const auto estimate = lda_estimate(first, last);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->usable_buckets, 63u);
  EXPECT_LT(estimate->packets, 1000u);
  EXPECT_DOUBLE_EQ(estimate->mean_ns, 5000);
  EXPECT_NEAR(estimate->deviation_ns, 0, 1e-6);
}

TEST(Lda, NothingUsableIsNoEstimate) {
  LdaSketch first{one_bank}, last{one_bank};
  EXPECT_FALSE(lda_estimate(first, last));
  first.add(1, test_time(0s));
  EXPECT_FALSE(lda_estimate(first, last));
}

TEST(Lda, BanksShareThePackets) {
  const LdaOptions options{{{16, 0.25}, {16, 0.05}}, 1};
  LdaSketch sketch{options};
  for (std::uint64_t i = 0; i < 100'000; ++i) sketch.add(i, test_time(0s));
  std::array<std::uint64_t, 2> counts{};
  for (std::size_t i = 0; i < 32; ++i) counts[i / 16] += sketch.buckets()[i].count;
  EXPECT_NEAR(static_cast<double>(counts[0]), 25'000, 800);
  EXPECT_NEAR(static_cast<double>(counts[1]), 5'000, 400);
}

TEST(Lda, TunedForTheLossOfThePaper) {
  const LdaOptions options = LdaOptions::tuned(400'000);
  EXPECT_DOUBLE_EQ(options.banks[0].sampling, 512 / 2000.0);
  EXPECT_DOUBLE_EQ(options.banks[1].sampling, 512 / 40'000.0);
  const LdaOptions few = LdaOptions::tuned(100);
  EXPECT_DOUBLE_EQ(few.banks[0].sampling + few.banks[1].sampling, 1);
}

// Which buckets are usable is independent of the delays, so the estimate is the mean of n
// independent exponential delays.  Its relative error exceeds t with probability below 2 exp(-n (t
// - ln(1 + t))) (Chernoff): at t = 8/sqrt(n) and n >= 5000, below 1e-12.
bool mean_agrees(double bias) {
  constexpr int packets = 200'000;
  LdaOptions options = LdaOptions::tuned(packets);
  options.seed = 3;
  LdaSketch first{options}, last{options};
  std::mt19937_64 random{11};
  std::exponential_distribution<double> delay{1 / 1e5};
  std::bernoulli_distribution lost{0.01};
  for (std::uint64_t i = 0; i < packets; ++i) {
    const Timestamp sent = test_time(i * 1us);
    first.add(i, sent);
    const Duration late{static_cast<std::int64_t>(delay(random) * bias)};
    if (!lost(random)) last.add(i, sent + late);
  }
  const auto estimate = lda_estimate(first, last);
  if (!estimate || estimate->packets < 5000) return false;
  const double error = 8 * 1e5 / std::sqrt(static_cast<double>(estimate->packets));
  return std::abs(estimate->mean_ns - 1e5) < error;
}

TEST(Lda, MeanAgreesWithTheSimulatedPath) { EXPECT_TRUE(mean_agrees(1)); }
TEST(Lda, WouldNoticeATwentyPercentBias) { EXPECT_FALSE(mean_agrees(1.2)); }

TEST(Lda, CentredDeviationIsCloserThanThePlainOne) {
  double centred = 0, plain = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LdaOptions options{{{512, 1.0}}, seed};
    LdaSketch first{options}, last{options};
    std::mt19937_64 random{seed};
    std::normal_distribution<double> delay{1e6, 1e5};
    for (std::uint64_t i = 0; i < 50'000; ++i) {
      first.add(i, test_time(0s));
      last.add(i, test_time(Duration{static_cast<std::int64_t>(delay(random))}));
    }
    const auto estimate = lda_estimate(first, last);
    centred += std::abs(estimate->deviation_ns - 1e5) / 20;
    plain += std::abs(estimate->plain_deviation_ns - 1e5) / 20;
  }
  EXPECT_LT(centred, 5e3);
  EXPECT_GT(plain, 4 * centred);
}

}  // namespace
}  // namespace sojourn
