// The round-trip experiments, scaled down: what they are about must come out.
//
// Seeds are fixed, so each fails always or never.  Each figure is a median over 3 to 9 draws of the keys.  Every
// margin would have to be missed by more than half of the draws: if one draw in ten misses it, a fresh seed gives a
// false alarm with a probability of 0.003 at seven draws (binomial), and one in a hundred, 3e-7.

#include "experiments/round_trip_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "experiments/contenders.h"
#include "experiments/joined_runs.h"
#include "experiments/round_trip_parts.h"
#include "lab/flow_trace.h"

namespace sojourn {
namespace {

const LabSetting quick{.seed = 1, .quick = true, .progress = [](double) {}};

const Claim& claim(const LabReport& report, std::string_view part) {
  const auto found = std::ranges::find_if(report.claims, [&](const Claim& one) { return one.statement.find(part) != std::string::npos; });
  EXPECT_NE(found, report.claims.end()) << part;
  return *found;
}

TEST(L3, StagedFindsWhatItsPaperSays) {
  const LabReport report = run_l3(quick);
  for (const char* const part : {"8 tables of 65 536", "most of what", "first 4 stages"}) EXPECT_TRUE(claim(report, part).met) << claim(report, part).ours;
  EXPECT_EQ(report.figures.size(), 2u);
}

TEST(L4, StagedIsBiasedInBurstsAndTheOthersAreNot) {
  const LabReport report = run_l4(quick);
  for (const Claim& one : report.claims) EXPECT_TRUE(one.met) << one.statement << ": " << one.ours;
}

/// The part of L2 that matters most, at one size: ours against a fridge whose longest delay was guessed ten times too long.
TEST(L2, OursNeedsNoTuning) {
  const BorderLinkTrace model{.seconds = 5};
  const RequestTrace trace = make_trace(model, 1);
  constexpr std::size_t slots = 2048;
  const auto seeds = key_seeds(quick, 7, 30);
  const auto trials = try_all(trace, {self_configured(slots * paper_slot_bytes), fridge(slots, slots / (model.rate * 10))}, seeds);
  const TrialErrors ours = median_of(trials[0]), misguided = median_of(trials[1]);
  EXPECT_NEAR(ours.total, 1, 0.05);
  EXPECT_LT(ours.worst, 0.4);
  EXPECT_LT(ours.worst, 0.8 * misguided.worst);
}

/// Why L2 has flows: all runs of a staged table sample the same few milliseconds of the trace, so joining them does not help it.
/// Root mean square of the worst error over four traces of 5 s.  Of the 70 choices of four out of eight traces that were tried, the first
/// line fails for none, and the second, the same table on independent requests, for 5.
TEST(L2, TrainsOfFlowsMisleadAStagedTable) {
  const std::vector<Contender> contenders = {staged(4096, 1, std::chrono::milliseconds{1024}), fridge(4096, 4096 / BorderFlowsTrace{}.rate)};
  const std::vector<std::uint64_t> seeds = {11, 12, 13, 14, 15};
  double staged_flows = 0, fridge_flows = 0, staged_alone = 0;
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    const auto squared = [&](const RequestTrace& trace, std::size_t contender, const std::vector<Trials>& trials) {
      return std::pow(joined_errors(TrialTruth{trace}, trials[contender].curves).worst, 2);
    };
    const RequestTrace flows = make_trace(BorderFlowsTrace{.seconds = 5}, number).trace, alone = make_trace(BorderLinkTrace{.seconds = 5}, number);
    const auto of_flows = try_all(flows, contenders, seeds), of_alone = try_all(alone, {contenders[0]}, seeds);
    staged_flows += squared(flows, 0, of_flows);
    fridge_flows += squared(flows, 1, of_flows);
    staged_alone += squared(alone, 0, of_alone);
  }
  EXPECT_GT(std::sqrt(staged_flows), 1.25 * std::sqrt(fridge_flows));
  EXPECT_GT(staged_flows, staged_alone);
}

TEST(L1, AFridgeHasABestEntryProbability) {
  const RequestTrace trace = make_trace(LogUniformTrace{.requests = 400'000, .octaves = 6, .ends_with_last_request = true}, 1);
  constexpr std::size_t slots = 2048;
  const double rule = slots / 64'000.0;
  const auto seeds = key_seeds(quick, 7, 31);
  const auto trials = try_all(trace, {fridge(slots, rule), fridge(slots, rule * 64), fridge(slots, rule / 64)}, seeds);
  const TrialErrors good = median_of(trials[0]), hasty = median_of(trials[1]), sparing = median_of(trials[2]);
  EXPECT_LT(good.worst, 0.15);
  EXPECT_GT(hasty.p99, 2 * good.p99);
  EXPECT_GT(sparing.worst, 2 * good.worst);
}

// The judge itself: a truth that is off by a tenth of an octave is off by a tenth of an octave.
TEST(TrialTruth, MeasuresWhatItSays) {
  const RequestTrace trace = make_trace(LogUniformTrace{.requests = 20'000}, 1);
  const TrialTruth truth{trace};
  std::vector<FridgeSample> samples;
  for (const std::int64_t delay : trace.delays_ns) samples.push_back({delay, 1, 0});
  EXPECT_LT(truth.judge(samples).worst, 1e-3);
  EXPECT_DOUBLE_EQ(truth.judge(samples).total, 1);
  for (FridgeSample& sample : samples) sample.delay_ns = static_cast<std::int64_t>(static_cast<double>(sample.delay_ns) * std::exp2(0.1));
  EXPECT_NEAR(truth.judge(samples).worst, 0.1, 1e-3);
  EXPECT_NEAR(truth.judge(samples).signed_p50, 0.1, 1e-3);
  EXPECT_EQ(truth.judge({}).worst, 10);
}

}  // namespace
}  // namespace sojourn
