#include "experiments/oneway/margin_trial.h"

#include <algorithm>
#include <cmath>
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
    errors_.push_back(estimated - truth);
    margins_.push_back(margin);
    truths_.push_back(truth);
  }
  MarginTrial verdict(double bias) const {
    MarginTrial trial{.flows = errors_.size()};
    if (errors_.empty()) return trial;
    const double shift = bias * median(margins_);
    std::vector<double> errors, margins;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      const double error = std::abs(errors_[i] + shift);
      trial.covered += error <= margins_[i] + 1;  // a nanosecond for rounding
      errors.push_back(error / truths_[i]);
      margins.push_back(margins_[i] / truths_[i]);
    }
    trial.covered /= static_cast<double>(errors_.size());
    trial.median_error = median(std::move(errors));
    trial.median_margin = median(std::move(margins));
    return trial;
  }

 private:
  std::vector<double> errors_, margins_, truths_;
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

MarginTrial try_cnf_margins(const MarginTraffic& traffic, CnfEstimator estimator,
                            const MarginSampling& sampling, std::uint64_t seed, double bias) {
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
  return judge.verdict(bias);
}

MarginTrial try_rli_margins(const MarginTraffic& traffic, RliEstimator estimator,
                            std::uint32_t every, double bias) {
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
  return judge.verdict(bias);
}

}  // namespace sojourn
