// Runs joined: chance averages out, bias stays.
//
// False alarms: the seeds are fixed.  A joined error is a mean over 40 runs of known variance; its
// own relative error is 11 % (joined_runs.h), and the margins below are three times that or more:
// about 0.1 % for a fresh seed.

#include "experiments/roundtrip/joined_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/random.h"

namespace sojourn {
namespace {

/// Runs of `count` samples from the trace's delays, each off by `octaves`.
std::vector<ShareCurve> runs_of(const RequestTrace& trace, std::size_t count, double octaves,
                                std::vector<TrialErrors>* single = nullptr) {
  const TrialTruth truth{trace};
  Random random{20'261'115};
  std::vector<ShareCurve> curves;
  for (int run = 0; run < 40; ++run) {
    std::vector<FridgeSample> samples;
    for (std::size_t i = 0; i < count; ++i) {
      const auto delay = static_cast<double>(trace.delays_ns[random.below(trace.delays_ns.size())]);
      samples.push_back(
          {static_cast<std::int64_t>(delay * std::exp2(octaves)), 1 + random.uniform(), 0});
    }
    if (single) single->push_back(truth.judge(samples));
    curves.emplace_back(samples);
  }
  return curves;
}

const RequestTrace& trace() {
  static const RequestTrace made = make_trace(LogUniformTrace{.requests = 50'000}, 1);
  return made;
}

TEST(JoinedRuns, ChanceAveragesOut) {
  std::vector<TrialErrors> single;
  const auto curves = runs_of(trace(), 1000, 0, &single);
  const TrialErrors joined = joined_errors(TrialTruth{trace()}, curves);
  double square = 0;
  for (const TrialErrors& one : single)
    square += one.p50 * one.p50 / static_cast<double>(single.size());
  EXPECT_NEAR(joined.p50 / (std::sqrt(square) / std::sqrt(10.0)), 1, 0.35);
  EXPECT_LT(joined.worst, 0.6 * median_of(single).worst);
}

TEST(JoinedRuns, BiasStays) {
  const auto curves = runs_of(trace(), 1000, 0.3);
  const TrialErrors joined = joined_errors(TrialTruth{trace()}, curves);
  for (const double error : {joined.p50, joined.p95, joined.p99, joined.signed_p50})
    EXPECT_NEAR(error, 0.3, 0.1);
}

TEST(JoinedRuns, ACurveOfTheTruthIsRight) {
  std::vector<FridgeSample> samples;
  for (const std::int64_t delay : trace().delays_ns) samples.push_back({delay, 1, 0});
  const std::vector<ShareCurve> curves(1, ShareCurve{samples});
  const TrialErrors joined = joined_errors(TrialTruth{trace()}, curves);
  EXPECT_LT(joined.worst, 0.004);  // half a step
  EXPECT_LT(joined.p99, 0.004);
}

TEST(JoinedRuns, NoSampleAtAllIsTenOctavesOff) {
  const std::vector<ShareCurve> curves(3);
  EXPECT_EQ(joined_errors(TrialTruth{trace()}, curves).worst, 10);
}

}  // namespace
}  // namespace sojourn
