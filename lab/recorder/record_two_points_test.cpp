#include "lab/recorder/record_two_points.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sojourn {
namespace {

TwoPointTrace small_trace() {
  TwoPointOptions options;
  options.traffic.seconds = 1;
  options.traffic.scale =
      5'000 / (options.traffic.model.packets_per_second * options.traffic.seconds);
  options.loss = 0.05;
  options.duplicates = 0.02;
  options.references = 100;
  return two_point_trace(options);
}

TEST(TwoPointTruth, CountsEveryPacketOnce) {
  const TwoPointTrace trace = small_trace();
  const TwoPointTruth truth = truth_of(trace);
  const auto references = std::ranges::count_if(
      trace.sent, [&](const LabPacket& sent) { return sent.flow == trace.reference_flow; });
  EXPECT_GT(references, 0);
  EXPECT_GT(truth.lost, 0u);
  EXPECT_EQ(truth.delays.size() + truth.lost + static_cast<std::size_t>(references),
            trace.sent.size());
  std::uint64_t packets = 0, lost = 0;
  for (const FlowDelay& flow : truth.flows) packets += flow.packets, lost += *flow.lost;
  EXPECT_EQ(packets, truth.delays.size() + truth.lost);
  EXPECT_EQ(lost, truth.lost);
}

TEST(TwoPointTruth, AFlowsMeanIsThatOfItsDelays) {
  const TwoPointTrace trace = small_trace();
  const TwoPointTruth truth = truth_of(trace);
  double by_packets = 0, by_flows = 0;
  for (const DelaySample& delay : truth.delays)
    by_packets += static_cast<double>(to_ns(delay.delay));
  for (const FlowDelay& flow : truth.flows) {
    if (!flow.mean_ns) continue;
    by_flows += *flow.mean_ns * static_cast<double>(flow.packets - *flow.lost);
    EXPECT_LE(static_cast<double>(*flow.min_ns), *flow.mean_ns);
    EXPECT_GE(static_cast<double>(*flow.max_ns), *flow.mean_ns);
  }
  EXPECT_NEAR(by_packets / by_flows, 1, 1e-9);
}

}  // namespace
}  // namespace sojourn
