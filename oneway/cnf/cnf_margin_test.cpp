#include "oneway/cnf/cnf_margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oneway/cnf/cnf_method.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(StudentFactor, IsThatOfTheTables) {
  EXPECT_NEAR(student_factor(1), 12.706, 0.001);
  EXPECT_NEAR(student_factor(2), 4.303, 0.001);
  EXPECT_NEAR(student_factor(3), 3.182, 0.06);
  EXPECT_NEAR(student_factor(10), 2.228, 0.003);
  EXPECT_NEAR(student_factor(30), 2.042, 0.001);
  EXPECT_NEAR(student_factor(1e9), 1.960, 0.001);
}

/// A hundred delays, half of them 1 us and half 3 us, one every second: each in its own moment.
DelaySeries seconds() {
  std::vector<TimedDelay> samples;
  for (int i = 0; i < 100; ++i) samples.push_back({test_time(i * 1s), i % 2 ? 1us : 3us});
  return DelaySeries{samples};
}
const double deviation = 1'000 * std::sqrt(100 / 99.0);

FlowRecord record(Duration first, Duration last, std::uint64_t packets, std::uint64_t squares) {
  FlowRecord made{.key = test_flow_key(1),
                  .packets = packets,
                  .first = test_time(first),
                  .last = test_time(last)};
  made.moment_squares = squares;
  return made;
}

TEST(CnfMargin, ComesFromTheMomentsOfTheSeriesAndOfTheFlow) {
  const DelaySeries series = seconds();
  const CnfMargins margins{series, {}, {}, 1};
  // Ten packets, each in its own moment, over all hundred delays.
  EXPECT_NEAR(*margins.multiflow_ns(record(0s, 99s, 10, 10), 2),
              student_factor(99) * deviation * std::sqrt(0.01 + 0.1), 0.01);
  // The same ten in two trains of five: (10)^2 / (25 + 25) = 2 moments.
  EXPECT_NEAR(*margins.multiflow_ns(record(0s, 99s, 10, 50), 2),
              student_factor(99) * deviation * std::sqrt(0.01 + 0.5), 0.01);
  // A record without moments may be two trains.
  EXPECT_EQ(margins.multiflow_ns(record(0s, 99s, 10, 0), 2),
            margins.multiflow_ns(record(0s, 99s, 10, 50), 2));
  EXPECT_FALSE(CnfMargins(DelaySeries{}, {}, {}, 1).multiflow_ns(record(0s, 99s, 10, 10), 2));
}

TEST(CnfMargin, OfNearbyIsThatOfThePacketsThatAreEstimated) {
  const DelaySeries series = seconds();
  const CnfMargins margins{series, {}, {}, 1};
  // Two of four packets have their own delays; the other two are two independent samples.
  EXPECT_NEAR(*margins.nearby_ns(record(0s, 99s, 4, 4), 2),
              0.5 * student_factor(99) * deviation * std::sqrt(0.01 + 0.5), 0.01);
  EXPECT_EQ(margins.nearby_ns(record(0s, 99s, 2, 2), 2), 0.0) << "all are known";
  EXPECT_FALSE(margins.endpoint_ns(record(0s, 99s, 3, 3), 2));
  EXPECT_EQ(margins.endpoint_ns(record(0s, 99s, 2, 2), 2), 0.0);
}

TEST(CnfMargin, IsNothingForAFlowWhoseDelaysAreAllThereIs) {
  const DelaySeries series = seconds();
  const CnfMargins margins{series, {}, {}, 1};
  EXPECT_EQ(margins.multiflow_ns(record(5s, 5s, 1, 1), 1), 0.0);
  EXPECT_GT(*margins.multiflow_ns(record(5s, 6s, 3, 3), 2), 0.0);
  const CnfMargins sampled{series, {}, {}, 0.1};
  EXPECT_GT(*sampled.multiflow_ns(record(5s, 5s, 1, 1), 1), 0.0) << "nine others are not known";
}

/// Delay jumps at second 50.  A flow with one selected packet before that may have lasted longer
/// than that packet, as long as others did.
TEST(CnfMargin, OfASinglePacketLooksAsFarAsOthersLast) {
  std::vector<TimedDelay> samples;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 20; ++j)
      samples.push_back({test_time(i * 1s + j * 50ms), i < 50 ? 1us + 1ns * j : 100us});
  const DelaySeries series{samples};
  const std::vector<FlowRecord> others = {record(0s, 60s, 2, 2)};
  const std::vector<AssociatedFlow> flows = {{0, 1us, 1us}};
  const CnfMargins alone{series, {}, {}, 0.1}, among_long_ones{series, flows, others, 0.1};
  EXPECT_LT(*alone.nearby_ns(record(10s, 10s, 1, 1), 1), 1'000);
  EXPECT_GT(*among_long_ones.nearby_ns(record(10s, 10s, 1, 1), 1), 10'000);
}

TEST(CnfMargin, IsInTheResultOfWhoHasOne) {
  std::vector<FlowRecord> first, last;
  for (std::uint32_t i = 0; i < 20; ++i) {
    FlowRecord one{.key = test_flow_key(i),
                   .packets = 5,
                   .first = test_time(1s * i),
                   .last = test_time(1s * i + 5s),
                   .first_label = i,
                   .last_label = 1000 + i};
    first.push_back(one);
    one.first += Duration{1'000 + 100 * i};
    one.last += Duration{1'000 + 100 * i};
    last.push_back(one);
  }
  const auto margins = [&](CnfEstimator estimator, double sampling) {
    CnfOptions options;
    options.estimator = estimator;
    std::size_t count = 0;
    for (const FlowDelay& flow : cnf_result(first, last, {.sampling = sampling}, options).flows)
      count += flow.margin_ns.has_value();
    return count;
  };
  EXPECT_EQ(margins(CnfEstimator::multiflow, 0.1), 20u);
  EXPECT_EQ(margins(CnfEstimator::nearby, 0.1), 20u);
  EXPECT_EQ(margins(CnfEstimator::hybrid, 0.1), 20u) << "fifty packets: above the threshold";
  EXPECT_EQ(margins(CnfEstimator::endpoint, 0.1), 0u);
  EXPECT_EQ(margins(CnfEstimator::endpoint, 1), 0u);
}

/// If every packet is selected, the duration of a flow of one packet is known: others are
/// irrelevant.
TEST(CnfMargin, OfASinglePacketLooksNoFurtherWhereNothingIsSampled) {
  const DelaySeries series = seconds();
  const std::vector<FlowRecord> others = {record(0s, 60s, 2, 2)};
  const std::vector<AssociatedFlow> flows = {{0, 1us, 1us}};
  const CnfMargins alone{series, {}, {}, 1}, among_long_ones{series, flows, others, 1};
  EXPECT_EQ(alone.multiflow_ns(record(10s, 10s, 1, 1), 0),
            among_long_ones.multiflow_ns(record(10s, 10s, 1, 1), 0));
  const CnfMargins sampled{series, flows, others, 0.1}, lonely{series, {}, {}, 0.1};
  EXPECT_NE(lonely.multiflow_ns(record(10s, 10s, 1, 1), 0),
            sampled.multiflow_ns(record(10s, 10s, 1, 1), 0));
}

}  // namespace
}  // namespace sojourn
