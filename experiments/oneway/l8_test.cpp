#include <gtest/gtest.h>

#include <cmath>

#include "experiments/oneway/rli_trial.h"
#include "oneway/lda/lda.h"

namespace sojourn {
namespace {

/// A second of SANJ through RED at about 1 % loss.
struct Second {
  BackboneTrace traffic = backbone_traffic(
      {.model = BackboneModel::sanj(), .seconds = 1, .seed = 1, .cut_at_edges = true});
  double drain = drain_rate_for(
      0.01, traffic.drain_rate(1.3, 1), traffic.drain_rate(0.7, 1), 8, [this](double rate) {
        return share_lost(pass_through(traffic.packets, RedQueue{{.bytes_per_second = rate}, 1}));
      });
  Arrivals arrivals = pass_through(traffic.packets, RedQueue{{.bytes_per_second = drain}, 1});

  double truth() const { return mean_delay_ns(traffic.packets, arrivals); }
};
const Second& second() {
  static const Second one;
  return one;
}

double rli_error(int references_a_second) {
  const RliPath path =
      inject(second().traffic.packets, RedQueue{{.bytes_per_second = second().drain}, 1},
             ReferenceGenerator{{.scheme = Injection::every_tau,
                                 .interval = Duration{1'000'000'000 / references_a_second}}});
  const RliReceiver receiver =
      receive(second().traffic.packets, path,
              {.capacity_bytes_a_second = second().drain, .flow_memory_bytes = 4096, .sender = {}});
  const double truth = mean_delay_ns(second().traffic.packets, path.arrivals);
  return std::abs(receiver.aggregate().mean_ns() - truth) / truth;
}

TEST(L8, RliKeepsThePapersBoundsBeyondLoss) {
  EXPECT_GT(share_lost(second().arrivals), 0.004);
  EXPECT_LT(rli_error(288), 0.025);
  EXPECT_LT(rli_error(1440), 0.003);
}

/// `late_share`: the twin's bias, on the receiver's clock.
double lda_error(double late_share) {
  LdaOptions options = LdaOptions::tuned(static_cast<double>(second().arrivals.size()));
  LdaSketch first{options}, last{options};
  const auto late = static_cast<std::int64_t>(late_share * second().truth());
  for (std::size_t i = 0; i < second().arrivals.size(); ++i) {
    first.add(i, timestamp_from_ns(second().traffic.packets[i].sent_ns));
    if (second().arrivals[i] != lost_packet)
      last.add(i, timestamp_from_ns(second().arrivals[i] + late));
  }
  const auto estimate = lda_estimate(first, last);
  return estimate ? std::abs(estimate->mean_ns - second().truth()) / second().truth() : 1;
}

// Some 20 000 packets in undisturbed buckets, chosen by a hash that is independent of delay
// (deviation about the mean below 1): the standard error is below 1 %, the limit 5 %.  For a sum of
// bounded terms (no delay above 15 times the mean) Bernstein gives a false-alarm rate below 1e-5.
TEST(L8, LdaFindsTheMean) { EXPECT_LT(lda_error(0), 0.05); }
TEST(L8, WouldNoticeATenthMore) { EXPECT_GT(lda_error(0.1), 0.05); }

}  // namespace
}  // namespace sojourn
