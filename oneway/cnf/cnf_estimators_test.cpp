#include "oneway/cnf/cnf_estimators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const DelaySeries series{
    {{test_time(1s), 10us}, {test_time(2s), 20us}, {test_time(3s), 60us}, {test_time(9s), 500us}}};

FlowRecord record(Duration first, Duration last, std::uint64_t packets) {
  return {.key = test_flow_key(1),
          .packets = packets,
          .first = test_time(first),
          .last = test_time(last)};
}

TEST(CnfEstimators, EndpointIsTheMeanOfBothEnds) {
  const DelaySummary both = endpoint_estimate({0, 10us, 30us});
  EXPECT_EQ(both.samples, 2u);
  EXPECT_DOUBLE_EQ(both.mean_ns, 20'000);
  EXPECT_DOUBLE_EQ(both.deviation_ns, 10'000 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(endpoint_estimate({0, std::nullopt, -30us}).mean_ns, -30'000);
  EXPECT_EQ(endpoint_estimate({0, std::nullopt, std::nullopt}).samples, 0u);
}

TEST(CnfEstimators, MultiflowTakesAllDelaysWithinTheFlow) {
  const DelaySummary three = multiflow_estimate(record(1s, 3s, 9), series);
  EXPECT_EQ(three.samples, 3u);
  EXPECT_DOUBLE_EQ(three.mean_ns, 30'000);
}

TEST(CnfEstimators, HybridChangesOverAboveTheThreshold) {
  const AssociatedFlow flow{0, 10us, 60us};
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 4), series, 1).mean_ns, 35'000);
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 5), series, 1).mean_ns, 30'000);
}

// Two selected packets of one in a hundred represent a flow of two hundred: large, whatever the
// record says.
TEST(CnfEstimators, HybridCountsTheFlowsPacketsNotTheSelected) {
  const AssociatedFlow flow{0, 10us, 60us};
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 2), series, 0.01).mean_ns, 30'000);
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 2), series, 0.5).mean_ns, 35'000)
      << "four packets: at the threshold";
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 2), series, 0.49).mean_ns, 30'000);
  EXPECT_DOUBLE_EQ(hybrid_estimate(flow, record(1s, 3s, 2), series, 1, 1).mean_ns, 30'000);
}

TEST(CnfEstimators, AFlowLastedLongerThanItsRecordByTheMeanGap) {
  EXPECT_EQ(beyond_the_ends(record(1s, 3s, 3), 0.25), 750ms);  // two gaps of a second
  EXPECT_EQ(beyond_the_ends(record(1s, 3s, 3), 1), 0s);
  EXPECT_EQ(beyond_the_ends(record(1s, 1s, 1), 0.25), 0s) << "one packet tells of no gap";
}

TEST(CnfEstimators, NearbyIsExactForTwoPacketsAndMultiflowForMany) {
  const AssociatedFlow flow{0, 10us, 60us};
  EXPECT_DOUBLE_EQ(nearby_estimate(flow, record(1s, 3s, 2), series, 1, 3).mean_ns, 35'000);
  EXPECT_DOUBLE_EQ(nearby_estimate(flow, record(1s, 3s, 4), series, 1, 3).mean_ns, 32'500);
  EXPECT_DOUBLE_EQ(nearby_estimate(flow, record(1s, 3s, 4), series, 0.01, 3).mean_ns,
                   30'000 + 5'000 * 0.005);
}

TEST(CnfEstimators, NearbyLooksBeyondTheSelectedEnds) {
  const AssociatedFlow unknown{0, {}, {}};
  // Two of some 200 packets, 1.1 s apart: the flow lasted from about 0.91 s to 4.19 s.
  EXPECT_DOUBLE_EQ(nearby_estimate(unknown, record(2s, 3100ms, 2), series, 0.01, 2).mean_ns,
                   30'000);
  // All packets selected: the ends are the real ones.
  EXPECT_DOUBLE_EQ(nearby_estimate(unknown, record(2s, 3100ms, 2), series, 1, 2).mean_ns, 40'000);
}

TEST(CnfEstimators, ManyAtOnceAreTheSameAsOneByOne) {
  std::vector<FlowRecord> records;
  std::vector<AssociatedFlow> flows;
  for (std::size_t i = 0; i < 50; ++i) {
    records.push_back(record(Duration{i * 100ms}, Duration{i * 200ms}, 3));
    flows.push_back({49 - i, 1us, 2us});
  }
  std::vector<DelaySummary> out(flows.size());
  multiflow_estimates(flows, records, series, out);
  for (std::size_t i = 0; i < flows.size(); ++i)
    EXPECT_EQ(out[i].mean_ns, multiflow_estimate(records[flows[i].record], series).mean_ns);
}

TEST(CnfEstimators, InterpolatedReadsTheLineAtEachPacket) {
  InterpolatedFlow flow{series};
  flow.sent(test_time(1500ms));
  flow.sent(test_time(2500ms));
  EXPECT_EQ(flow.estimate().samples, 2u);
  EXPECT_DOUBLE_EQ(flow.estimate().mean_ns, (15'000 + 40'000) / 2.0);
  EXPECT_DOUBLE_EQ(flow.estimate().deviation_ns, 12'500 * std::sqrt(2.0));
}

}  // namespace
}  // namespace sojourn
