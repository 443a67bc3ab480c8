// Whether the comparison keeps its false-alarm rate, and notices what it should.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "estimate/distribution/distribution.h"
#include "estimate/distribution/shift.h"
#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

constexpr std::array qs = {0.5};
constexpr int trials = 600;
// P(Binomial(600, 0.05) > 58) = 8.9e-7: a correct comparison fails a check at most that often.
constexpr double usual_significance = 0.05;
constexpr int most_alarms = 58;
// And P(Binomial(600, 0.01) > 21) = 3.2e-07.
constexpr double strict_significance = 0.01;
constexpr int most_strict_alarms = 21;

/// Lognormal delays.  `correlation` is that of consecutive samples (autoregressive, in the
/// logarithm).
struct Path {
  double median_ns = 20e6;
  double sigma = 0.8;
  double correlation = 0;
};

enum class Weighting {
  equal,           ///< every pair is seen
  inverse_chance,  ///< as in a fridge: long delays are seen more rarely, and weigh more
  forgotten,       ///< as in a fridge, but each counts once
  lottery,         ///< one in twenty weighs 20, whatever its delay
  rare_tail,       ///< one in 300 of the longest tenth is seen, one in three of the others
};

double chance(Weighting weighting, double z, double ns) {
  switch (weighting) {
    case Weighting::inverse_chance:
    case Weighting::forgotten:
      return std::min(1.0, std::pow(20e6 / ns, 0.7)) / 3;
    case Weighting::rare_tail:
      return z > 1.2816 ? 1.0 / 300 : 1.0 / 3;
    default:
      return 1;
  }
}

DelaySnapshot measure(const Path& path, int pairs, Weighting weighting, std::mt19937_64& random) {
  Distribution distribution{Keep::every_sample};
  std::uniform_real_distribution<double> uniform{0, 1};
  std::normal_distribution<double> normal;
  double z = normal(random);
  for (int i = 0; i < pairs; ++i) {
    const double ns = path.median_ns * std::exp(path.sigma * z), caught = chance(weighting, z, ns);
    z = path.correlation * z + std::sqrt(1 - path.correlation * path.correlation) * normal(random);
    if (caught < 1 && uniform(random) >= caught) continue;
    double weight = weighting == Weighting::forgotten ? 1 : 1 / caught;
    if (weighting == Weighting::lottery && uniform(random) < 0.05) weight = 20;
    distribution.add(Duration{std::llround(ns)}, weight);
  }
  return distribution.snapshot(qs);
}

struct Case {
  Path before, after;
  int pairs_before, pairs_after;
  Weighting weighting_before, weighting_after;
  double tolerance = 0;
  bool neighbours = true;  ///< whether their correlation is taken into account
  double significance = usual_significance;
};

int alarms(const Case& c) {
  std::mt19937_64 random{test_seed()};
  int count = 0;
  for (int i = 0; i < trials; ++i) {
    auto before = measure(c.before, c.pairs_before, c.weighting_before, random);
    auto after = measure(c.after, c.pairs_after, c.weighting_after, random);
    if (!c.neighbours)
      for (DelaySnapshot* snapshot : {&before, &after})
        snapshot->inflation = snapshot->serial_inflation = 1;
    if (!enough_to_compare(before) || !enough_to_compare(after)) continue;
    count +=
        verdict_of(test_shift(before, after, c.tolerance), c.significance) != ShiftVerdict::same;
  }
  return count;
}

TEST(ShiftStatistics, EqualWeightsRaiseFewFalseAlarms) {
  for (const bool neighbours : {false, true}) {
    EXPECT_LE(alarms({{}, {}, 300, 300, Weighting::equal, Weighting::equal, 0, neighbours}),
              most_alarms)
        << "seed " << test_seed();
    EXPECT_LE(alarms({{}, {}, 600, 40, Weighting::equal, Weighting::equal, 0, neighbours}),
              most_alarms)
        << "seed " << test_seed();
  }
}

TEST(ShiftStatistics, UnequalWeightsRaiseFewFalseAlarms) {
  constexpr auto fridge = Weighting::inverse_chance;
  for (const double sigma : {0.8, 1.6}) {  // at three deviations weights differ 5 and 28 times
    const Path path{.median_ns = 20e6, .sigma = sigma};
    EXPECT_LE(alarms({path, path, 900, 900, fridge, fridge, 0, false}), most_alarms)
        << "seed " << test_seed();
    EXPECT_LE(alarms({path, path, 500, 1500, fridge, Weighting::equal, 0, false}), most_alarms)
        << "seed " << test_seed();
  }
}

// Cases in which the plain test fails: without the effective sizes, or with nothing else.
TEST(ShiftStatistics, VeryUnequalWeightsRaiseFewFalseAlarms) {
  EXPECT_LE(alarms({{}, {}, 600, 600, Weighting::lottery, Weighting::lottery, 0, false}),
            most_alarms)
      << "seed " << test_seed();
  EXPECT_LE(alarms({{},
                    {},
                    10'000,
                    10'000,
                    Weighting::rare_tail,
                    Weighting::rare_tail,
                    0,
                    false,
                    strict_significance}),
            most_strict_alarms)
      << "seed " << test_seed();
}

TEST(ShiftStatistics, WouldNoticeWeightsForgotten) {
  EXPECT_GT(alarms({{}, {}, 900, 900, Weighting::forgotten, Weighting::equal}), most_alarms);
}

TEST(ShiftStatistics, AShiftOfExactlyTheToleranceIsNoAlarm) {
  const Path slower{.median_ns = 1.1 * Path{}.median_ns};
  EXPECT_LE(alarms({{}, slower, 1000, 1000, Weighting::equal, Weighting::equal, 0.1, false}),
            most_alarms);
  EXPECT_LE(alarms({slower, {}, 1000, 1000, Weighting::equal, Weighting::equal, 0.1, false}),
            most_alarms);
}

TEST(ShiftStatistics, AShiftByAThirdIsNoticedNineTimesInTen) {
  const Path usual{.median_ns = 20e6, .sigma = 0.4},
      slower{.median_ns = 1.33 * usual.median_ns, .sigma = 0.4};
  constexpr auto fridge = Weighting::inverse_chance;
  EXPECT_GT(alarms({usual, slower, 200, 200, Weighting::equal, Weighting::equal, 0.05}),
            trials * 9 / 10);
  EXPECT_GT(alarms({usual, slower, 900, 900, fridge, fridge, 0.05}), trials * 9 / 10);
}

TEST(ShiftStatistics, NeighboursThatAreAlikeRaiseNoMoreAlarmsIfTheyAreTakenIntoAccount) {
  const Path bursty{.median_ns = 20e6, .sigma = 0.8, .correlation = 0.8};
  EXPECT_LE(alarms({bursty, bursty, 600, 600, Weighting::equal, Weighting::equal}), most_alarms)
      << "seed " << test_seed();
  EXPECT_GT(alarms({bursty, bursty, 600, 600, Weighting::equal, Weighting::equal, 0, false}),
            3 * most_alarms);
}

}  // namespace
}  // namespace sojourn
