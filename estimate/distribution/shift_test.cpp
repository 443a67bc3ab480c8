#include "estimate/distribution/shift.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "estimate/distribution/distribution.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::array qs = {0.5, 0.95};

/// `samples` delays evenly spaced from `low` to `high`, treated as independent though they are
/// sorted.
DelaySnapshot even(Duration low, Duration high, int samples, double weight = 1) {
  Distribution distribution;
  for (int i = 0; i < samples; ++i) distribution.add(low + (high - low) * i / samples, weight);
  DelaySnapshot snapshot = distribution.snapshot(qs);
  snapshot.inflation = 1;
  return snapshot;
}

TEST(WeightedKsTail, IsTheKnownBoundWhenWeightsAreEqual) {
  EXPECT_DOUBLE_EQ(weighted_ks_tail(2, 0), 2.16863 * std::exp(-8.0));
  EXPECT_EQ(weighted_ks_tail(0, 0), 1);
  EXPECT_EQ(weighted_ks_tail(0.1, 0.3), 1);
  EXPECT_EQ(weighted_ks_tail(1e3, 0), 0);
}

TEST(WeightedKsTail, IsTheIntegralItStandsFor) {
  for (const double skew : {0.01, 0.1, 0.3, 0.8})
    for (const double x : {1.5, 2.0, 3.0}) {
      // Over u = |N| by the trapezoid rule, as far as skew u < x, and the tail beyond.
      const double end = std::min(x / skew, 40.0);
      constexpr int steps = 200'000;
      double sum = 0;
      for (int i = 0; i <= steps; ++i) {
        const double u = end * i / steps, rest = x - skew * u;
        sum += (i == 0 || i == steps ? 0.5 : 1) * std::exp(-u * u / 2 - 2 * rest * rest);
      }
      const double integral = 2.16863 * 2 / std::sqrt(2 * M_PI) * sum * end / steps +
                              std::erfc(x / skew / std::sqrt(2.0));
      EXPECT_NEAR(weighted_ks_tail(x, skew), std::min(1.0, integral), 1e-6 * integral)
          << skew << " " << x;
    }
}

TEST(WeightedKsTail, GrowsWithTheSkewAndJoinsThePlainBound) {
  EXPECT_NEAR(weighted_ks_tail(2, 1e-9), weighted_ks_tail(2, 0), 1e-9);
  EXPECT_LT(weighted_ks_tail(2, 0.1), weighted_ks_tail(2, 0.2));
}

TEST(Shift, MeasuresTheGreatestDistanceOfTheCdfs) {
  // Uniform on 0 to 100 ms against 25 to 125 ms: the CDFs are 0.25 apart from 25 to 100 ms.
  const auto test = test_shift(even(0ms, 100ms, 10'000), even(25ms, 125ms, 10'000), 0);
  EXPECT_NEAR(test.slower.distance, 0.25, 0.01);
  EXPECT_EQ(test.faster.distance, 0);
  EXPECT_FALSE(test.faster.at);
  EXPECT_EQ(verdict_of(test, 1e-6), ShiftVerdict::slower);
  EXPECT_EQ(verdict_of(test_shift(even(25ms, 125ms, 10'000), even(0ms, 100ms, 10'000), 0), 1e-6),
            ShiftVerdict::faster);
}

TEST(Shift, IsNoneAgainstItselfWhateverTheTolerance) {
  const auto some = even(10ms, 90ms, 300, 2.5);
  for (const double tolerance : {0.0, 0.05, 1.0}) {
    const auto test = test_shift(some, some, tolerance);
    EXPECT_EQ(test.greater().distance, 0) << tolerance;
    EXPECT_EQ(test.greater().p_value, 1);
    EXPECT_EQ(verdict_of(test, 0.5), ShiftVerdict::same);
  }
}

TEST(Shift, KnowsAChangeOfShapeFromAShift) {
  const auto narrow = even(45ms, 55ms, 2'000), wide = even(10ms, 90ms, 2'000);
  EXPECT_EQ(verdict_of(test_shift(narrow, wide, 0), 1e-6), ShiftVerdict::changed_shape);
}

TEST(Shift, ToleratesWhatItIsToldTo) {
  const auto before = even(20ms, 40ms, 100'000);
  const auto after = even(21ms, 42ms, 100'000);  // 5 % more
  const auto much = even(22ms, 44ms, 100'000);   // 10 % more
  EXPECT_EQ(verdict_of(test_shift(before, after, 0), 1e-3), ShiftVerdict::slower);
  EXPECT_EQ(verdict_of(test_shift(before, after, 0.06), 1e-3), ShiftVerdict::same);
  EXPECT_EQ(verdict_of(test_shift(after, before, 0.06), 1e-3), ShiftVerdict::same);
  EXPECT_EQ(verdict_of(test_shift(before, much, 0.06), 1e-3), ShiftVerdict::slower);
  EXPECT_EQ(verdict_of(test_shift(much, before, 0.06), 1e-3), ShiftVerdict::faster);
}

TEST(Shift, ToleranceMovesNegativeDelaysTheSameWay) {
  const auto before = even(-40ms, -20ms, 10'000);  // a clock that stepped back
  EXPECT_EQ(test_shift(before, before, 0.5).greater().distance, 0);
  const auto test = test_shift(before, even(20ms, 40ms, 10'000), 0.5);
  EXPECT_NEAR(test.slower.distance, 1, 1e-9);
  EXPECT_EQ(test.faster.distance, 0);
}

TEST(Shift, UsesTheEffectiveSizes) {
  // 1000 samples, of which one weighs as much as all others: four effective samples.
  Distribution heavy;
  for (int i = 1; i < 1000; ++i) heavy.add(i * 1ms);
  heavy.add(1500ms, 999);
  EXPECT_FALSE(enough_to_compare(heavy.snapshot(qs)));
  EXPECT_TRUE(enough_to_compare(even(1ms, 2ms, 30)));
  EXPECT_FALSE(enough_to_compare(even(1ms, 2ms, 29)));
  EXPECT_FALSE(enough_to_compare(DelaySnapshot{}));
  // A common weight carries no information: only the number of samples does.
  const double plain = test_shift(even(1ms, 2ms, 100), even(1500us, 2500us, 100), 0).slower.p_value;
  const double weighted =
      test_shift(even(1ms, 2ms, 100, 7), even(1500us, 2500us, 100, 0.5), 0).slower.p_value;
  EXPECT_NEAR(weighted / plain, 1, 1e-6);
}

TEST(DelaySnapshot, HoldsTheTotalsOfTheDistribution) {
  Distribution distribution;
  for (int i = 1; i <= 1000; ++i) distribution.add(i * 1ms, i % 3 + 1);
  const auto snapshot = distribution.snapshot(qs);
  EXPECT_EQ(snapshot.samples, 1000u);
  EXPECT_DOUBLE_EQ(snapshot.total_weight(), distribution.total_weight());
  EXPECT_NEAR(snapshot.effective_samples(), distribution.effective_samples(), 1e-9);
  EXPECT_EQ(snapshot.quantile(0.5), distribution.quantile(0.5));
  EXPECT_FALSE(snapshot.quantile(0.3));
  EXPECT_EQ(snapshot.min, 1ms);
  EXPECT_EQ(snapshot.max, 1000ms);
  EXPECT_EQ(snapshot.mean, distribution.mean());
}

}  // namespace
}  // namespace sojourn
