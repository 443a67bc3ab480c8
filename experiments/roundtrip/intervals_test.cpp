// Intervals and comparisons with the real tables, the smallest ones first.
//
// Seeds are fixed.  With another seed an interval with a coverage of 95 % would cover fewer than 90
// % of 300 runs with probability 2e-4 (binomial); totals are judged at 5 standard errors, 6e-7.

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/roundtrip/interval_trial.h"

namespace sojourn {
namespace {

constexpr std::size_t runs = 300;

const std::vector<IntervalTable>& tables() {
  static const std::vector<IntervalTable> all = {{},
                                                 {TableKind::tailored, 4096},
                                                 {TableKind::leased, 4096},
                                                 {TableKind::fridge, 4096},
                                                 {TableKind::fridges, 16'384}};
  return all;
}

class IntervalsOf : public testing::TestWithParam<IntervalTraffic> {};
INSTANTIATE_TEST_SUITE_P(Traffic, IntervalsOf, testing::ValuesIn(interval_traffic()),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::erase_if(name,
                                         [](char c) { return c == ' ' || c == ',' || c == '-'; });
                           return name;
                         });

TEST_P(IntervalsOf, EveryTableHoldTheTruthAndTotalsAreUnbiased) {
  const auto trials = try_intervals(GetParam(), tables(), runs, 1);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const IntervalTrial& trial = trials[t];
    const auto name = name_of(tables()[t].kind);
    for (const double held : trial.held) EXPECT_GE(held, 0.90) << name;
    EXPECT_GT(trial.bounded[0], 0.85) << name << ": an interval that says nothing holds everything";
    EXPECT_LE(std::fabs(trial.total - 1), 5 * trial.total_error + 1e-9)
        << name << " " << trial.total << " ± " << trial.total_error;
    EXPECT_LT(trial.total_error, 0.02) << name << ": a bias of a tenth would not be noticed";
  }
}

/// Whether a total is that of an unbiased table, as far as chance can tell: 4.9 standard errors,
/// 1e-6 on two sides.
bool looks_unbiased(double total, double error) { return std::fabs(total - 1) <= 4.9 * error; }

/// Load and delay rise together, and the smallest tables that `--memory` allows are at their
/// limits. False alarms: 1e-6 for each of the four, if the means of 1500 runs are normal.  The
/// twins: every weight off by 1 %, of fridge by 2 %; since that is 8 standard errors and more, it
/// would be missed in one of a thousand.  (Before its first requests were weighed instead of
/// dropped, tailored was off by 0.4 %: `Tailored.TheFirstRequestsAreNeitherDroppedNorUncounted`.)
TEST(Intervals, TheSmallestTablesCountBurstsWithoutBias) {
  const std::vector<IntervalTable> smallest = {{TableKind::tailored, 4096},
                                               {TableKind::leased, 4096},
                                               {TableKind::fridge, 4096},
                                               {TableKind::fridges, 4096}};
  const auto trials = try_intervals(interval_traffic()[2], smallest, 1500, 1);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const auto name = name_of(smallest[t].kind);
    const double total = trials[t].total, error = trials[t].total_error;
    const double off = smallest[t].kind == TableKind::fridge ? 0.02 : 0.01;
    EXPECT_TRUE(looks_unbiased(total, error)) << name << " " << total << " ± " << error;
    EXPECT_FALSE(looks_unbiased((1 + off) * total, error)) << name;
    EXPECT_FALSE(looks_unbiased((1 - off) * total, error)) << name;
  }
}

/// An end that is unknown holds every truth, so the share among those with two ends is counted
/// apart.  Of 100 flows with a heavy tail few bound p95.
TEST(Intervals, ThoseWithTwoEndsAreCountedApart) {
  const auto alone = try_intervals(interval_traffic()[0], {{}}, 100, 1)[0];
  const auto few = try_intervals(interval_traffic()[4], {{}}, 100, 1)[0];
  EXPECT_EQ(alone.bounded[1], 1);
  EXPECT_EQ(alone.held_bounded[1], alone.held[1]);
  // Half of 20 000 requests are answered, 71 more or less in a run, 7 in the mean of 100.
  EXPECT_NEAR(alone.samples, 10'000, 70);
  EXPECT_LT(few.bounded[1], 0.1);
  EXPECT_GE(few.held[1], 1 - few.bounded[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(few.held_bounded[i], 1);
    // Those without two ends may hold it or not.
    EXPECT_LE(few.held_bounded[i] * few.bounded[i], few.held[i] + 1e-9);
  }
}

/// Half of its requests come in the first fifth of a second, of others a fifth.
TEST(Intervals, BurstyTrafficHasBursts) {
  for (const IntervalTraffic& traffic : interval_traffic()) {
    double requests = 0, early = 0;
    for (const FlowEvent& event : traffic.events(1)) {
      if (!event.is_request) continue;
      ++requests;
      early += event.ns % 1'000'000'000 < 200'000'000;
    }
    EXPECT_NEAR(early / requests, traffic.name == "bursty" ? 0.5 : 0.2, 0.05) << traffic.name;
  }
}

/// Intervals that are too wide cover the truth too: with 1000 independent runs an interval with a
/// coverage of 95.7 % is outside these bounds with probability 3e-3 (binomial); before the widths
/// were added as squares, it was 97.9 %.
TEST(Intervals, OfIndependentSamplesAreNeitherTooNarrowNorTooWide) {
  const std::vector<IntervalTable> of = {{TableKind::tailored, 65'536}};
  const auto trials = try_intervals(interval_traffic()[0], of, 1000, 1);
  for (const double held : {trials[0].held[0], trials[0].held[1]}) {
    EXPECT_GE(held, 0.93);
    EXPECT_LE(held, 0.975);
  }
}

/// The twin: every delay is half as long again as the truth says.
TEST_P(IntervalsOf, DelaysThatAreLongerAreNoticed) {
  IntervalTraffic longer = GetParam();
  longer.spread = longer.flows < 1000 ? 3 : 1.5;
  for (const IntervalTrial& trial : try_intervals(longer, tables(), 50, 1))
    EXPECT_LT(trial.held[0], 0.5);
}

/// Each run against the next.  Chance exceeds these bounds with probability 1e-4 at most if pairs
/// were independent (Poisson; each run is in two pairs).
TEST_P(IntervalsOf, ComparisonsOfUnchangedTrafficAreQuiet) {
  const std::vector<IntervalTable> compared = {{}, {TableKind::tailored, 4096}};
  const auto trials = try_intervals(GetParam(), compared, runs, 2);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const auto pairs = static_cast<double>(trials[t].compared);
    for (std::size_t i = 0; i < 3; ++i) {
      const double expected = IntervalTrial::alarm_rates[i] * pairs;
      EXPECT_LE(static_cast<double>(trials[t].alarms[i]), expected + 3.7 * std::sqrt(expected) + 3)
          << name_of(compared[t].kind) << " at " << IntervalTrial::alarm_rates[i] << " of "
          << pairs;
    }
  }
}

TEST(Intervals, ComparisonsWouldNoticeAChange) {
  IntervalTraffic traffic = interval_traffic()[1];
  const auto same = try_intervals(traffic, {{}}, 40, 3);
  EXPECT_LE(same[0].alarms[0], 8u);
  traffic.name = "twin";
  traffic.alternate = 1.5;
  EXPECT_GE(try_intervals(traffic, {{}}, 40, 3)[0].alarms[0], 35u);
}

/// Whether the closed form and the draws agree.
TEST(Intervals, TheTruthIsThatOfTheTraffic) {
  for (const IntervalTraffic& traffic : interval_traffic()) {
    const double median = traffic.quantile_ns(0.5), p95 = traffic.quantile_ns(0.95);
    double pairs = 0, up_to_median = 0, up_to_p95 = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      std::vector<std::int64_t> asked;
      for (const FlowEvent& event : traffic.events(seed)) {
        if (asked.size() <= event.id) asked.resize(event.id + 1);
        if (event.is_request) {
          asked[event.id] = event.ns;
          continue;
        }
        const auto delay = static_cast<double>(event.ns - asked[event.id]);
        ++pairs;
        up_to_median += delay <= median;
        up_to_p95 += delay <= p95;
      }
    }
    EXPECT_NEAR(up_to_median / pairs, 0.5, 0.03) << traffic.name;
    EXPECT_NEAR(up_to_p95 / pairs, 0.95, 0.015) << traffic.name;
  }
}

}  // namespace
}  // namespace sojourn
