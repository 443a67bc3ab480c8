// Do the traces with flows have the statistics that the papers state?  The seeds are fixed.

#include "lab/flow_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "lab/test_trace.h"

namespace sojourn {
namespace {

constexpr std::uint64_t seed = 20'261'115;

TEST(FlowTrace, CampusHasStagedsStatistics) {
  const FlowTrace packets = make_trace(CampusTrace{}, seed);
  const RequestTrace& trace = packets.trace;
  expect_consistent(trace);
  EXPECT_EQ(trace.events.size(), 1'000'000u);
  EXPECT_EQ(trace.requests, 600'000u);
  EXPECT_EQ(trace.delays_ns.size(), 71'000u);
  EXPECT_LE(trace.seconds(), 1.10);
  EXPECT_GT(trace.seconds(), 1.09);
  EXPECT_EQ(std::set(packets.flow_of_request.begin(), packets.flow_of_request.end()).size(),
            11'085u);
  EXPECT_NEAR(trace.quantile_ns(0.5) / 1e6, 44, 0.1);  // by construction
  EXPECT_NEAR(trace.quantile_ns(0.99) / 1e6, 500, 1);
}

/// Over eight seeds: 6.09 million requests +- 0.08, 0.1288 +- 0.0011 answered, mean 57.0 +- 0.8 ms,
/// p99 502 +- 13 ms, 10 880 +- 105 flows.  The bounds are what is stated and four of these (false
/// alarm below 1e-4 a line).
TEST(FlowTrace, BorderFlowsHasFridgesStatisticsAndStagedsFlows) {
  expect_consistent(
      make_trace(BorderFlowsTrace{.seconds = 1, .rate = 50'000, .flows_a_second = 800}, seed)
          .trace);
  const FlowTrace packets = make_trace(BorderFlowsTrace{}, seed);
  const RequestTrace& trace = packets.trace;
  const auto requests = static_cast<double>(trace.requests),
             pairs = static_cast<double>(trace.delays_ns.size());
  EXPECT_NEAR(requests, 6'100'000, 330'000);
  EXPECT_NEAR(requests / static_cast<double>(trace.events.size()), 0.61, 0.001);
  EXPECT_NEAR(pairs / requests, 0.13, 0.0056);
  EXPECT_NEAR(trace.mean_delay_ns() / 1e6, 57.8, 4);
  EXPECT_NEAR(trace.quantile_ns(0.99) / 1e6, 512, 62);
  for (const double start_s : {1.0, 5.0, 10.0}) {
    std::set<std::uint32_t> flows;
    for (const TraceEvent& event : trace.events) {
      const double after_s = static_cast<double>(event.ns) * 1e-9 - start_s;
      if (event.is_request && after_s > 0 && after_s < 1.1)
        flows.insert(packets.flow_of_request[event.id]);
    }
    EXPECT_NEAR(static_cast<double>(flows.size()), 11'085, 700) << start_s;
  }
}

// The reason why there are flows at all: neighbours in time are of the same flow more often than
// strangers are.
TEST(FlowTrace, BorderFlowsSendTrains) {
  const FlowTrace packets = make_trace(BorderFlowsTrace{.seconds = 1}, seed);
  const auto& flows = packets.flow_of_request;
  const auto alike = [&](std::size_t apart) {
    std::size_t same = 0;
    for (std::size_t i = 0; i + apart < flows.size(); ++i) same += flows[i] == flows[i + apart];
    return static_cast<double>(same) / static_cast<double>(flows.size() - apart);
  };
  EXPECT_GT(alike(1), 20 * alike(100'000));
}

}  // namespace
}  // namespace sojourn
