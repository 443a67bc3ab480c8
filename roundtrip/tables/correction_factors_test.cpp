#include "roundtrip/tables/correction_factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "roundtrip/tables/fridge_table.h"
#include "roundtrip/test_stream.h"

namespace sojourn {
namespace {

TEST(CorrectionFactors, ReproduceThePapersExample) {
  const CorrectionFactors table{{.entry_probability = 0.5, .eviction_chance = 0x1p-16}};
  const auto changes_at = [](const CorrectionFactors& factors, std::uint32_t x, std::uint32_t from,
                             std::uint32_t to) {
    return factors.factor(x - 1) == from && factors.factor(x) == to;
  };
  EXPECT_EQ(table.factor(0), 2u);
  EXPECT_TRUE(changes_at(table, 7u << 11, 2, 3));
  EXPECT_TRUE(changes_at(table, 9u << 12, 3, 4));
  // With the text's base 1 - p/M the boundaries would be twice as far out.
  const CorrectionFactors arrivals{{.entry_probability = 0.5, .eviction_chance = 0x1p-17}};
  EXPECT_TRUE(changes_at(arrivals, 7u << 12, 2, 3));
}

TEST(CorrectionFactors, AreNeverFarFromTheWeight) {
  const double p = 0.125, c = p / 4096;
  const CorrectionFactors table{{.entry_probability = p, .eviction_chance = c, .scale = 16}};
  for (std::uint32_t x = 0; x < 12 / c; x += 97) {
    const double exact = 1 / (p * std::pow(1 - c, x));
    // Half a step of 1.1, and x rounded by 1/16 at most, which is x c / 16 in the exponent.
    EXPECT_NEAR(std::log(table.factor(x) / 16.0 / exact), 0, 0.05 + x * c / 16 + 0.01) << x;
  }
  EXPECT_EQ(table.factor(~0u), 0u);
}

/// In a small fridge a single step is larger than a factor: some of them are skipped.
TEST(CorrectionFactors, AreNeverFarFromTheWeightInASmallFridge) {
  const double c = 1.0 / 16;
  const CorrectionFactors table{{.entry_probability = 1,
                                 .eviction_chance = c,
                                 .step = 1.01,
                                 .scale = 256,
                                 .boundary_bits = 32}};
  for (std::uint32_t x = 0; x < 200; ++x)
    EXPECT_NEAR(std::log(table.factor(x) / 256.0), -std::log1p(-c) * x, 0.006) << x;
}

/// Largest vertical distance of two CDFs over the same delays.
double distance(std::vector<std::array<double, 3>> samples) {
  std::ranges::sort(samples);
  double exact_total = 0, table_total = 0, exact = 0, table = 0, worst = 0;
  for (const auto& [delay, weight, factor] : samples) exact_total += weight, table_total += factor;
  for (const auto& [delay, weight, factor] : samples) {
    exact += weight / exact_total;
    table += factor / table_total;
    worst = std::fmax(worst, std::fabs(exact - table));
  }
  return worst;
}

/// The samples of one fridge with their exact weight and that of the table.
double effect_on_cdf(double p, std::uint32_t scale, double step) {
  const Stream stream = simulate({.answered = 1}, 7);
  constexpr std::size_t slots = 2048;
  FridgeTable fridge{{.memory_bytes = slots * 16, .entry_probability = p}};
  const double c = p / slots;
  const CorrectionFactors table{
      {.entry_probability = p, .eviction_chance = c, .step = step, .scale = scale}};
  std::vector<std::array<double, 3>> samples;
  replay(stream, fridge, 1, [&](const Match& match) {
    const auto x =
        static_cast<std::uint32_t>(std::lround(std::log(match.weight * p) / -std::log1p(-c)));
    samples.push_back({static_cast<double>(match.delay.count()), match.weight,
                       static_cast<double>(table.factor(x))});
  });
  EXPECT_GT(samples.size(), 1000u);
  return distance(std::move(samples));
}

TEST(CorrectionFactors, ChangeTheCdfByLessThanOnePercent) {
  EXPECT_LT(effect_on_cdf(1.0 / 32, 1, 1.1),
            0.01);  // the paper's integer factors suffice for small p
  EXPECT_LT(effect_on_cdf(0.5, 16, 1.1), 0.01);
  EXPECT_LT(effect_on_cdf(1, 16, 1.1), 0.01);
}

TEST(CorrectionFactors, CoarserOnesWouldBeNoticed) {
  EXPECT_GT(effect_on_cdf(1, 1, 1.1), 0.01);  // 1, 2, 3, 4: steps of 2 at first
  EXPECT_GT(effect_on_cdf(1.0 / 32, 1, 3), 0.01);
}

}  // namespace
}  // namespace sojourn
