// Whether quantiles and their intervals are as good as claimed, on delays with known truth.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "estimate/distribution/distribution.h"
#include "estimate/distribution/tail_functions.h"
#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

/// A path with lognormal delay.
struct Path {
  double median_ns = 20e6;
  double sigma = 0.8;

  double draw(std::mt19937_64& random) const {
    return median_ns * std::exp(sigma * std::normal_distribution<double>{}(random));
  }
  double quantile(double q) const {
    if (q <= 0) return 0;
    if (q >= 1) return 1e300;
    const double z = normal_score(std::abs(2 * q - 1));  // P(|Z| <= z) = |2q-1| for either side
    return median_ns * std::exp(sigma * (q < 0.5 ? -z : z));
  }
};

/// As in a fixed-memory table: the longer a pair takes, the less likely it is seen, and its weight
/// is the inverse of that probability.
double chance(double ns) { return std::min(1.0, std::pow(20e6 / ns, 0.7)); }

enum class Weighting { inverse_chance, ignored };

Distribution measure(const Path& path, int pairs, Weighting weighting, Keep keep,
                     std::mt19937_64& random) {
  Distribution distribution{keep};
  std::uniform_real_distribution<double> uniform{0, 1};
  for (int i = 0; i < pairs; ++i) {
    const double ns = path.draw(random), caught = chance(ns);
    if (uniform(random) < caught)
      distribution.add(Duration{std::llround(ns)},
                       weighting == Weighting::ignored ? 1 : 1 / caught);
  }
  return distribution;
}

// n samples put the empirical CDF within eps of the true one, at every q, except with probability
// 2 exp(-2 n eps^2) (Dvoretzky-Kiefer-Wolfowitz, Massart's constant): here 1e-9, with n samples of
// weight 1.  The histogram adds its relative error.
bool within_dkw(const Distribution& measured, const Path& truth) {
  const double eps = std::sqrt(std::log(2 / 1e-9) / (2 * measured.effective_samples()));
  const double error = measured.relative_error();
  return std::ranges::all_of(std::array{0.05, 0.25, 0.5, 0.75, 0.95}, [&](double q) {
    const double found = static_cast<double>(measured.quantile(q)->count());
    return found >= truth.quantile(q - eps) * (1 - error) &&
           found <= truth.quantile(q + eps) * (1 + error);
  });
}

Distribution every_delay_of(const Path& path, Keep keep) {
  std::mt19937_64 random{test_seed()};
  Distribution distribution{keep};
  for (int i = 0; i < 100'000; ++i) distribution.add(Duration{std::llround(path.draw(random))});
  return distribution;
}

TEST(DistributionStatistics, QuantilesAgreeWithTheSimulatedPath) {
  EXPECT_TRUE(within_dkw(every_delay_of(Path{}, Keep::every_sample), Path{}))
      << "seed " << test_seed();
  EXPECT_TRUE(within_dkw(every_delay_of(Path{}, Keep::histogram), Path{}))
      << "seed " << test_seed();
}

TEST(DistributionStatistics, WouldNoticeAFivePercentBias) {
  const Path slower{.median_ns = 1.05 * Path{}.median_ns};
  EXPECT_FALSE(within_dkw(every_delay_of(slower, Keep::every_sample), Path{}));
  EXPECT_FALSE(within_dkw(every_delay_of(slower, Keep::histogram), Path{}));
}

constexpr std::array coverage_qs = {0.1, 0.5, 0.9};

/// How often, of `trials`, the interval covers the true quantile, for each of `coverage_qs`.
std::array<double, 3> coverage(double confidence, Weighting weighting,
                               Keep keep = Keep::every_sample) {
  constexpr int trials = 4000, pairs = 600;  // effective samples: about 450
  std::mt19937_64 random{test_seed()};
  const Path path;
  std::array<double, 3> covered{};
  for (int i = 0; i < trials; ++i) {
    const auto estimates =
        measure(path, pairs, weighting, keep, random).estimates(coverage_qs, confidence);
    for (std::size_t k = 0; k < covered.size(); ++k) {
      const Duration truth{std::llround(path.quantile(coverage_qs[k]))};
      if (estimates[k].interval.low <= truth && truth <= estimates[k].interval.high)
        covered[k] += 1.0 / trials;
    }
  }
  return covered;
}

// 4000 trials estimate a coverage of 95 % with a standard deviation of 0.34 %: a result outside 93
// to 97 % by chance is 5.8 deviations, 7e-9 per check.
constexpr double least = 0.93, most = 0.97;

TEST(DistributionStatistics, IntervalsOfWeightedQuantilesCoverTheTruthNineteenTimesInTwenty) {
  for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
    const auto covered = coverage(0.95, Weighting::inverse_chance, keep);
    for (std::size_t k = 0; k < covered.size(); ++k) {
      EXPECT_GE(covered[k], least) << "q " << coverage_qs[k] << ", seed " << test_seed();
      EXPECT_LE(covered[k], most) << "q " << coverage_qs[k] << ", seed " << test_seed();
    }
  }
}

TEST(DistributionStatistics, CoverageWouldNoticeIgnoredWeightsAndIntervalsTooNarrowOrWide) {
  EXPECT_LT(std::ranges::max(coverage(0.95, Weighting::ignored)), least);
  EXPECT_LT(std::ranges::max(coverage(0.88, Weighting::inverse_chance)), least);
  EXPECT_GT(std::ranges::min(coverage(0.99, Weighting::inverse_chance)), most);
}

TEST(DistributionStatistics, IntervalsOfFewSamplesCoverAtLeastAsOftenAsPromised) {
  // 20 samples of weight 1: exact order statistics cover the median with 95.9 %.
  constexpr int trials = 4000;
  std::mt19937_64 random{test_seed()};
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    Distribution distribution;
    for (int k = 0; k < 20; ++k) distribution.add(Duration{std::llround(Path{}.draw(random))});
    const auto interval = *distribution.interval(0.5);
    covered += static_cast<double>(interval.low.count()) <= 20e6 &&
               20e6 <= static_cast<double>(interval.high.count());
  }
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.9586, 0.02)
      << "seed " << test_seed();  // 6 deviations
}

TEST(DistributionStatistics, IntervalsOfTheMeanCoverTheTruth) {
  constexpr int trials = 4000;
  std::mt19937_64 random{test_seed()};
  const Path path{.median_ns = 20e6, .sigma = 0.3};
  const double truth = path.median_ns * std::exp(path.sigma * path.sigma / 2);
  for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
    int covered = 0;
    for (int i = 0; i < trials; ++i) {
      const auto interval =
          *measure(path, 500, Weighting::inverse_chance, keep, random).mean_interval();
      covered += static_cast<double>(interval.low.count()) <= truth &&
                 truth <= static_cast<double>(interval.high.count());
    }
    EXPECT_NEAR(covered / static_cast<double>(trials), 0.95, 0.02) << "seed " << test_seed();
  }
}

}  // namespace
}  // namespace sojourn
