#include "oneway/cnf/delay_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Timestamp at(Duration since) { return timestamp_from_ns(1'700'000'000'000'000'000) + since; }

TEST(DelaySeries, BothEndsOfAFlowBelongToIt) {
  const DelaySeries series{{{at(3s), 30us}, {at(1s), 10us}, {at(2s), 20us}, {at(4s), 70us}}};
  const DelaySummary all = series.between(at(1s), at(3s));
  EXPECT_EQ(all.samples, 3u);
  EXPECT_DOUBLE_EQ(all.mean_ns, 20'000);
  EXPECT_DOUBLE_EQ(all.deviation_ns, 10'000);
  EXPECT_EQ(series.between(at(1s) + 1ns, at(3s) - 1ns).samples, 1u);
  EXPECT_EQ(series.between(at(2s), at(2s)).samples, 1u);
  EXPECT_EQ(series.between(at(2s), at(1s)).samples, 0u);
  EXPECT_EQ(series.between(at(5s), at(9s)).samples, 0u);
  EXPECT_EQ(series.between(at(-5s), at(9s)).samples, 4u);
  EXPECT_EQ(DelaySeries{}.between(at(1s), at(3s)).samples, 0u);
}

TEST(DelaySeries, WidensToTheNearerSide) {
  const DelaySeries series{{{at(1s), 10us}, {at(2s), 20us}, {at(4s), 40us}, {at(9s), 90us}}};
  EXPECT_DOUBLE_EQ(series.over(series.at_least(1, at(2s), at(2s))).mean_ns, 20'000);
  EXPECT_DOUBLE_EQ(series.over(series.at_least(2, at(2s), at(2s))).mean_ns, 15'000);
  EXPECT_DOUBLE_EQ(series.over(series.at_least(3, at(2s), at(2s))).mean_ns, 70'000 / 3.0);
  EXPECT_EQ(series.over(series.at_least(9, at(2s), at(2s))).samples, 4u);
  EXPECT_DOUBLE_EQ(series.over(series.at_least(1, at(20s), at(30s))).mean_ns, 90'000);
  EXPECT_EQ(series.over(series.at_least(2, at(1s), at(5s))).samples, 3u);
}

TEST(DelaySeries, InterpolatesBetweenNeighbours) {
  const DelaySeries series{{{at(1s), 10us}, {at(3s), 30us}}};
  EXPECT_DOUBLE_EQ(*series.interpolated_ns(at(1500ms)), 15'000);
  EXPECT_DOUBLE_EQ(*series.interpolated_ns(at(3s)), 30'000);
  EXPECT_DOUBLE_EQ(*series.interpolated_ns(at(0s)), 10'000);
  EXPECT_DOUBLE_EQ(*series.interpolated_ns(at(9s)), 30'000);
  EXPECT_FALSE(DelaySeries{}.interpolated_ns(at(0s)));
}

TEST(DelaySeries, AnHourBetweenTheClocksCostsNoDigit) {
  std::vector<TimedDelay> samples;
  for (int i = 0; i < 100'000; ++i)
    samples.push_back({at(Duration{i} * 1000), -1h + (i % 2 ? 500ns : -500ns)});
  samples.push_back({at(-10s), 3h});  // an outlier before them all
  const DelaySummary one = DelaySeries{samples}.between(at(0s), at(1s));
  EXPECT_NEAR(one.deviation_ns, 500, 0.1);
  EXPECT_NEAR(one.mean_ns, -3.6e12, 1e-3);
}

/// The same result as iterating over all samples, also for clustered times and ties.
TEST(DelaySeries, AgreesWithWalkingOverAll) {
  std::mt19937_64 random{7};
  for (int round = 0; round < 30; ++round) {
    std::vector<TimedDelay> samples;
    const std::int64_t span = round % 3 == 0 ? 50 : 1'000'000;
    for (int i = 0; i < 300; ++i) {
      const auto time = static_cast<std::int64_t>(random()) % span;
      samples.push_back({at(Duration{round % 2 ? time * time / span : time}),
                         Duration{static_cast<std::int64_t>(random() % 10'000)}});
    }
    const DelaySeries series{samples};
    for (int question = 0; question < 100; ++question) {
      Timestamp first = at(Duration{static_cast<std::int64_t>(random()) % (2 * span)});
      Timestamp last = at(Duration{static_cast<std::int64_t>(random()) % (2 * span)});
      if (last < first) std::swap(first, last);
      double sum = 0, square = 0;
      std::uint64_t count = 0;
      for (const TimedDelay& sample : samples) {
        if (sample.sent < first || sample.sent > last) continue;
        const auto delay = static_cast<double>(to_ns(sample.delay));
        sum += delay;
        square += delay * delay;
        ++count;
      }
      const DelaySummary summary = series.between(first, last);
      ASSERT_EQ(summary.samples, count);
      if (count == 0) continue;
      const auto n = static_cast<double>(count);
      ASSERT_NEAR(summary.mean_ns, sum / n, 1e-6);
      if (count == 1) continue;
      ASSERT_NEAR(summary.deviation_ns,
                  std::sqrt(std::max(0.0, (square - sum * sum / n) / (n - 1))), 1e-3);
    }
  }
}

TEST(DelaySeries, HasTheDeviationOfItsSamples) {
  // 10, 20 and 30: squared distances 100, 0, 100, divided by two.
  const DelaySeries three{{{at(1s), 10ns}, {at(2s), 20ns}, {at(3s), 30ns}}};
  EXPECT_DOUBLE_EQ(three.between(at(1s), at(3s)).deviation_ns, 10);
  // Shifted by a constant: the result does not change, though the sums do.
  const DelaySeries late{{{at(1s), 1h + 10ns}, {at(2s), 1h + 20ns}, {at(3s), 1h + 30ns}}};
  EXPECT_DOUBLE_EQ(late.between(at(1s), at(3s)).deviation_ns, 10);
  EXPECT_DOUBLE_EQ(three.between(at(2s), at(3s)).deviation_ns, std::sqrt(50.0));
  EXPECT_EQ(three.between(at(2s), at(2s)).deviation_ns, 0);
}

TEST(DelaySeries, CountsMomentsNotSamples) {
  // Three in one moment and one in another: (3 + 1)^2 / (9 + 1).
  const DelaySeries crowded{{{at(0s), 1us}, {at(1us), 1us}, {at(2us), 1us}, {at(1s), 1us}}};
  EXPECT_DOUBLE_EQ(crowded.moments({0, 4}), 1.6);
  EXPECT_DOUBLE_EQ(crowded.moments({0, 3}), 1);
  EXPECT_DOUBLE_EQ(crowded.moments({3, 4}), 1);
  EXPECT_DOUBLE_EQ(crowded.moments({2, 2}), 0);
  EXPECT_EQ(crowded.within(at(1us), at(1s)), (DelaySeries::Range{1, 4}));
  EXPECT_EQ(crowded.within(at(2s), at(1s)), (DelaySeries::Range{}));
}

}  // namespace
}  // namespace sojourn
