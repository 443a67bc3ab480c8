#include "experiments/oneway/margin_trial.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "experiments/oneway/oneway_path.h"

namespace sojourn {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Means and margins beside the truth.
class Judge {
 public:
  void add(double estimated, double margin, double truth) {
    const double error = std::abs(estimated - truth);
    errors_.push_back(error / truth);
    margins_.push_back(margin / truth);
    // A nanosecond for rounding.
    by_margin_.push_back(error <= 1 ? 0 : (error - 1) / margin);
  }
  MarginTrial verdict() && {
    MarginTrial trial{.flows = errors_.size()};
    if (errors_.empty()) return trial;
    std::ranges::sort(by_margin_);
    trial.errors_by_margin = std::move(by_margin_);
    trial.covered = trial.covered_by(1);
    trial.median_error = median(std::move(errors_));
    trial.median_margin = median(std::move(margins_));
    return trial;
  }

 private:
  std::vector<double> errors_, margins_, by_margin_;
};

Arrivals pass_all(const MarginTraffic& traffic) {
  const auto path = traffic.path();
  Arrivals arrivals;
  arrivals.reserve(traffic.packets.size());
  for (const LabPacket& packet : traffic.packets)
    arrivals.push_back(path(packet).value_or(lost_packet));
  return arrivals;
}

}  // namespace

double MarginTrial::covered_by(double factor) const {
  const auto within = std::ranges::upper_bound(errors_by_margin, factor) - errors_by_margin.begin();
  return flows == 0 ? 0 : static_cast<double>(within) / static_cast<double>(flows);
}

MarginTrial try_cnf_margins(const MarginTraffic& traffic, CnfEstimator estimator,
                            const MarginSampling& sampling, std::uint64_t seed) {
  const Arrivals arrivals = pass_all(traffic);
  const auto truth = true_delays(traffic.packets, arrivals, traffic.flows);
  const LabRecords records = records_of(
      traffic.packets, arrivals, {.share = sampling.share, .flows = sampling.flows, .seed = seed},
      {.memory_bytes = std::size_t{64} << 20});
  CnfOptions cnf;
  cnf.estimator = estimator;
  OnewayOptions options;
  options.sampling = sampling.share;
  options.sample_flows = sampling.flows;
  const OnewayResult result = cnf_result(records.first, records.last, options, cnf);
  Judge judge;
  for (const FlowDelay& flow : result.flows)
    if (flow.margin_ns && *flow.margin_ns > 0)
      judge.add(*flow.mean_ns, *flow.margin_ns, truth[lab_flow_number(flow.key)].mean_ns());
  return std::move(judge).verdict();
}

MarginTrial try_rli_margins(const MarginTraffic& traffic, RliEstimator estimator,
                            std::uint32_t every) {
  const auto path = traffic.path();
  std::vector<DelayMoments> truth(traffic.flows);
  RliReceiver::Options options;
  options.estimator = estimator;
  options.capacity_bytes_a_second = traffic.bytes_a_second;
  options.line = LineBytes::ethernet();
  RliReceiver receiver{options};
  constexpr std::uint32_t no_flow = 0xffff'ffff;
  for (std::size_t i = 0; i < traffic.packets.size(); ++i) {
    const LabPacket& packet = traffic.packets[i];
    if (i % every == 0) {
      const Arrival got = path({no_flow, options.reference_bytes, packet.sent_ns});
      if (got)
        receiver.reference(
            {1, static_cast<std::uint32_t>(i / every), timestamp_from_ns(packet.sent_ns)},
            timestamp_from_ns(*got));
    }
    const Arrival got = path(packet);
    if (!got) continue;
    std::uint64_t state = packet.flow;
    const ObservedPacket seen{
        lab_flow_key(packet.flow), split_mix(state), timestamp_from_ns(*got), packet.bytes, 0, 0};
    receiver.packets({&seen, 1});
    truth[packet.flow].add(Duration{*got - packet.sent_ns});
  }
  receiver.finish();
  Judge judge;
  for (const auto& [key, flow] : receiver.flows())
    if (const auto margin = receiver.margin_ns(flow); margin && flow.delays.count() == flow.packets)
      judge.add(flow.delays.mean_ns(), *margin, truth[lab_flow_number(key)].mean_ns());
  return std::move(judge).verdict();
}

}  // namespace sojourn
