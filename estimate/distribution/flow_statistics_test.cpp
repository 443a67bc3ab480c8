// Whether intervals and comparisons hold when samples of one flow are correlated, as in TCP.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "estimate/distribution/distribution.h"
#include "estimate/distribution/shift.h"
#include "estimate/distribution/tail_functions.h"
#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

/// Flows each with a lognormal round-trip time, jitter of a tenth, and a number of samples with a
/// Pareto tail of index 1.5: mean 9, infinite variance.
struct Traffic {
  int flows;
  double median_ns = 20e6;
  double sigma = 0.8;
  double jitter = 0.1;

  double quantile(double q) const {
    const double z = normal_score(std::abs(2 * q - 1));
    return median_ns * std::exp(std::hypot(sigma, jitter) * (q < 0.5 ? -z : z));
  }
};

enum class Told { flows, nothing };  ///< which samples are of one flow

Distribution measure(const Traffic& traffic, Told told, Keep keep, std::mt19937_64& random) {
  Distribution distribution{keep};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform{0, 1};
  for (int flow = 0; flow < traffic.flows; ++flow) {
    const double own = traffic.sigma * normal(random);
    const FlowTag tag = FlowTag::of(random());
    const double size = std::min(1e5, std::ceil(3 * std::pow(1 - uniform(random), -1 / 1.5)));
    for (int i = 0; i < static_cast<int>(size); ++i) {
      const Duration delay{
          std::llround(traffic.median_ns * std::exp(own + traffic.jitter * normal(random)))};
      told == Told::flows ? distribution.add(delay, 1, tag) : distribution.add(delay);
    }
  }
  return distribution;
}

constexpr std::array qs = {0.5, 0.95};

/// The share of runs whose interval covers the truth of the process.  An unbounded end covers it.
std::array<double, 2> coverage(const Traffic& traffic, Told told, Keep keep) {
  constexpr int trials = 500;
  std::mt19937_64 random{test_seed()};
  std::array<double, 2> covered{};
  for (int i = 0; i < trials; ++i) {
    const auto estimates = measure(traffic, told, keep, random).estimates(qs);
    for (std::size_t k = 0; k < qs.size(); ++k) {
      const Interval& interval = estimates[k].interval;
      const Duration truth{std::llround(traffic.quantile(qs[k]))};
      covered[k] += ((!interval.bounded_below || interval.low <= truth) &&
                     (!interval.bounded_above || truth <= interval.high)) /
                    static_cast<double>(trials);
    }
  }
  std::printf("%5d flows, %s, %s: p50 %.1f %%, p95 %.1f %%\n", traffic.flows,
              told == Told::flows ? "flows known" : "flows ignored",
              keep == Keep::every_sample ? "samples" : "histogram", 100 * covered[0],
              100 * covered[1]);
  return covered;
}

// Of 500 intervals with a coverage of 95 %, fewer than 90 % cover by chance once in a million:
// P(Binomial(500, 0.95) < 450) = 2e-6.
TEST(FlowStatistics, IntervalsHoldTheTruthWhenSamplesOfAFlowAreAlike) {
  for (const Keep keep : {Keep::every_sample, Keep::histogram})
    for (const int flows : {100, 1000})
      for (const double covered : coverage({flows}, Told::flows, keep))
        EXPECT_GE(covered, 0.90) << flows << " flows, seed " << test_seed();
}

TEST(FlowStatistics, CoverageWouldNoticeIntervalsOfIndependentSamples) {
  for (const double covered : coverage({1000}, Told::nothing, Keep::every_sample))
    EXPECT_LT(covered, 0.6) << "seed " << test_seed();
}

TEST(FlowStatistics, AThousandFlowsDoBoundTheMedianAndMostlyP95) {
  std::mt19937_64 random{test_seed()};
  int median = 0, p95 = 0;
  for (int i = 0; i < 100; ++i) {
    const auto estimates = measure({1000}, Told::flows, Keep::histogram, random).estimates(qs);
    median += estimates[0].interval.bounded();
    p95 += estimates[1].interval.bounded();
    if (!estimates[1].interval.bounded()) {
      EXPECT_EQ(estimates[1].interval.why, Unbounded::too_few_flows);
    }
  }
  EXPECT_GE(median, 90);
  EXPECT_GE(p95, 60);
}

constexpr int pairs = 300;
// P(Binomial(300, 0.05) > 33) = 1e-5, P(Binomial(300, 0.01) > 12) = 2e-5.
constexpr double usual = 0.05, strict = 0.01;
constexpr int most_usual = 33, most_strict = 12;

struct Alarms {
  int usual = 0, strict = 0;
};

Alarms alarms(const Traffic& before, const Traffic& after, double tolerance, Told told, Keep keep) {
  std::mt19937_64 random{test_seed()};
  Alarms count;
  for (int i = 0; i < pairs; ++i) {
    auto first = measure(before, told, keep, random).snapshot(qs);
    auto second = measure(after, told, keep, random).snapshot(qs);
    if (!enough_to_compare(first) || !enough_to_compare(second)) continue;
    const ShiftTest test = test_shift(first, second, tolerance);
    count.usual += verdict_of(test, usual) != ShiftVerdict::same;
    count.strict += verdict_of(test, strict) != ShiftVerdict::same;
  }
  std::printf("%5d flows, %s, %s: alarms at 5 %%: %.1f %%, at 1 %%: %.1f %%\n", before.flows,
              told == Told::flows ? "flows known" : "flows ignored",
              keep == Keep::every_sample ? "samples" : "histogram", 100.0 * count.usual / pairs,
              100.0 * count.strict / pairs);
  return count;
}

TEST(FlowStatistics, ComparisonsOfTcpLikeFlowsRaiseFewFalseAlarmsInEitherMemory) {
  for (const Keep keep : {Keep::every_sample, Keep::histogram})
    for (const int flows : {300, 1000}) {
      const Alarms found = alarms({flows}, {flows}, 0, Told::flows, keep);
      EXPECT_LE(found.usual, most_usual) << flows << ", seed " << test_seed();
      EXPECT_LE(found.strict, most_strict) << flows << ", seed " << test_seed();
    }
}

TEST(FlowStatistics, FalseAlarmsWouldShowIfFlowsWereIgnored) {
  EXPECT_GT(alarms({300}, {300}, 0, Told::nothing, Keep::histogram).usual, 5 * most_usual);
}

// Lognormal with sigma 2: 95 % of the delays span three and a half decades.
TEST(FlowStatistics, ATenthMoreIsFoundInFiftyThousandSamplesWithAHeavyTail) {
  std::mt19937_64 random{test_seed()};
  std::normal_distribution<double> normal;
  const auto draw = [&](double median_ns) {
    Distribution distribution{Keep::histogram};
    for (int i = 0; i < 50'000; ++i)
      distribution.add(Duration{std::llround(median_ns * std::exp(2 * normal(random)))});
    return distribution.snapshot(qs);
  };
  int found = 0, false_alarms = 0;
  for (int i = 0; i < 60; ++i) {
    const auto usual_delays = draw(20e6);
    const ShiftTest slower = test_shift(usual_delays, draw(22e6), 0.05);
    found += verdict_of(slower, 0.001) == ShiftVerdict::slower;
    false_alarms +=
        verdict_of(test_shift(usual_delays, draw(21e6), 0.05), 0.001) != ShiftVerdict::same;
  }
  std::printf("a tenth more found in %d of 60 pairs, alarms at the tolerance in %d\n", found,
              false_alarms);
  // 58 % are expected (a normal score of 3.7 against 3.5): P(Binomial(60, 0.58) < 20) = 4e-5.
  EXPECT_GE(found, 20) << "seed " << test_seed();
  EXPECT_LE(false_alarms, 2) << "seed " << test_seed();
}

}  // namespace
}  // namespace sojourn
