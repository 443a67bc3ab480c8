#include <gtest/gtest.h>

#include <cmath>

#include "experiments/relative_error.h"
#include "experiments/rli_trial.h"

namespace sojourn {
namespace {

/// A second of SANJ at 88 % load.
struct Path {
  BackboneTrace traffic = backbone_traffic({.model = BackboneModel::sanj(), .seconds = 1, .seed = 1, .cut_at_edges = true, .largest_flow = 5000});
  double drain = traffic.drain_rate(0.88, 1);
  RliPath path = inject(traffic.packets, RedQueue{{.bytes_per_second = drain}, 1},
                        ReferenceGenerator{{.scheme = Injection::every_n, .capacity_bytes_a_second = drain}});
  std::vector<DelayMoments> truth = true_delays(traffic.packets, path.arrivals, traffic.flow_sizes.size());

  RliReceiver received(RliEstimator estimator, double capacity_factor = 1) const {
    return receive(traffic.packets, path, {.estimator = estimator, .capacity_bytes_a_second = drain * capacity_factor,
                                           .flow_memory_bytes = 64 << 20, .sender = {}});
  }
  double median_error(RliEstimator estimator) const {
    RelativeErrors errors;
    const RliReceiver receiver = received(estimator);
    for (const auto& entry : receiver.flows())
      if (entry.value.delays.count() > 0) errors.add(entry.value.delays.mean_ns(), truth[lab_flow_number(entry.key)].mean_ns());
    return errors.median();
  }
};
const Path& path() {
  static const Path one;
  return one;
}

TEST(L7, RliIsWithinThePapersErrorAndQueueAwareIsBetter) {
  const double rli = path().median_error(RliEstimator::interpolate);
  EXPECT_LT(rli, 0.12);
  EXPECT_LT(rli, path().median_error(RliEstimator::left_only));
  EXPECT_LT(path().median_error(RliEstimator::queue_aware), rli);
}

TEST(L7, EveryPacketThatArrivedIsAccountedFor) {
  const RliReceiver receiver = path().received(RliEstimator::interpolate);
  const RliCounters& seen = receiver.counters();
  std::uint64_t arrived = 0;
  for (const std::int64_t arrival : path().path.arrivals) arrived += arrival != lost_packet;
  EXPECT_EQ(seen.packets, arrived);
  EXPECT_EQ(seen.interpolated + seen.left_only + seen.before_first + seen.after_last, arrived);
  EXPECT_LE(seen.before_first, 300u);
  EXPECT_LE(seen.after_last, 300u);
}

// The aggregate's error is a mean over about 1190 stretches between references.  The residual of each
// reference against its neighbours bounds their standard error: here below 0.2 % of the mean, and the
// limit is 3 %.  By Chebyshev alone the false-alarm rate is below (0.2/3)^2 = 0.5 %, for normal errors
// below 1e-40; the seed is fixed.
bool aggregate_agrees(double capacity_factor) {
  const RliReceiver receiver = path().received(RliEstimator::interpolate, capacity_factor);
  const double truth = mean_delay_ns(path().traffic.packets, path().path.arrivals);
  return std::abs(receiver.aggregate().mean_ns() - truth) < 0.03 * truth;
}
TEST(L7, TheAggregateAgreesWithTheTruth) { EXPECT_TRUE(aggregate_agrees(1)); }
/// The twin's bias: a link thought to be a hundredth as fast, so that size counts for too much.
TEST(L7, WouldNoticeAWrongCapacity) { EXPECT_FALSE(aggregate_agrees(0.01)); }

}  // namespace
}  // namespace sojourn
