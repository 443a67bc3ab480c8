#include "experiments/oneway/cnf_trial.h"

#include <algorithm>
#include <cmath>

#include "oneway/cnf/association.h"
#include "oneway/cnf/cnf_estimators.h"
#include "oneway/cnf/cnf_margin.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Every n-th packet is a probe, as many as the delays that the collector knows.
double active_probes(std::span<const LabPacket> packets, const Arrivals& arrivals,
                     std::size_t probes) {
  const std::size_t step =
      std::max<std::size_t>(1, packets.size() / std::max<std::size_t>(1, probes));
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < packets.size(); i += step) {
    if (arrivals[i] == lost_packet) continue;
    sum += static_cast<double>(arrivals[i] - packets[i].sent_ns);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

void interpolate(std::span<const LabPacket> packets, const Arrivals& arrivals,
                 const DelaySeries& series, CnfTrial& trial, std::size_t flows) {
  constexpr std::uint32_t none = 0xffff'ffff;
  std::vector<std::uint32_t> place(flows, none);
  std::vector<InterpolatedFlow> lines(trial.flows.size(), InterpolatedFlow{series});
  for (std::size_t i = 0; i < trial.flows.size(); ++i)
    place[trial.flows[i].flow] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (place[packets[i].flow] != none && arrivals[i] != lost_packet)
      lines[place[packets[i].flow]].sent(timestamp_from_ns(packets[i].sent_ns));
  for (std::size_t i = 0; i < lines.size(); ++i)
    trial.flows[i].interpolated = lines[i].estimate().mean_ns;
}

}  // namespace

CnfTrial try_cnf(std::span<const LabPacket> packets, const Arrivals& arrivals, std::size_t flows,
                 const CnfTrialOptions& options) {
  // One record a flow: timeouts longer than the trace, room for all.
  const LabRecords records = records_of(
      packets, arrivals, options.sampling,
      {.memory_bytes = std::size_t{256} << 20, .active_timeout = 1h, .inactive_timeout = 1h});
  Association association = associate_by_label(records.first, records.last, 10s);
  drop_outliers(association, options.drop_outliers);
  const DelaySeries series = delay_series(association.flows, records.first);
  const std::vector<DelayMoments> truth = true_delays(packets, arrivals, flows);
  const std::vector<DelayMoments> trajectory =
      trajectory_delays(packets, arrivals, options.sampling, flows);

  const double share = options.sampling.flows ? 1 : options.sampling.share;
  const CnfMargins margins{series, association.flows, records.first, share};
  CnfTrial trial{.flows = {},
                 .probe_mean = active_probes(packets, arrivals, series.samples().size()),
                 .delays = series.samples().size()};
  for (const AssociatedFlow& associated : association.flows) {
    const FlowRecord& record = records.first[associated.record];
    const std::uint32_t number = lab_flow_number(record.key);
    const DelaySummary endpoint = endpoint_estimate(associated);
    const DelaySummary multiflow = multiflow_estimate(record, series);
    const DelaySummary nearby =
        nearby_estimate(associated, record, series, share, options.neighbours);
    const std::uint64_t known =
        associated.first_delay.has_value() + associated.last_delay.has_value();
    trial.flows.push_back(
        {.flow = number,
         .size = truth[number].count(),
         .sampled = record.packets,
         .truth = truth[number].mean_ns(),
         .true_deviation = truth[number].sample_deviation_ns(),
         .endpoint = endpoint.mean_ns,
         .multiflow = multiflow.mean_ns,
         .hybrid = hybrid_estimate(associated, record, series, share).mean_ns,
         .nearby = nearby.mean_ns,
         .trajectory = trajectory[number].mean_ns(),
         .endpoint_deviation = endpoint.deviation_ns,
         .multiflow_deviation = multiflow.deviation_ns,
         .multiflow_margin = margins.multiflow_ns(record, known).value_or(0),
         .nearby_margin = margins.nearby_ns(record, known).value_or(0),
         .record_seconds = static_cast<double>(to_ns(record.last - record.first)) * 1e-9});
  }
  if (options.interpolate) interpolate(packets, arrivals, series, trial, flows);
  return trial;
}

RelativeErrors errors_of(const CnfTrial& trial, double CnfFlow::* estimator, std::uint64_t least,
                         std::uint64_t least_sampled) {
  RelativeErrors errors;
  for (const CnfFlow& flow : trial.flows)
    if (flow.size >= least && flow.sampled >= least_sampled)
      errors.add(flow.*estimator, flow.truth);
  return errors;
}

double covered_share(const CnfTrial& trial, double CnfFlow::* estimator, double CnfFlow::* margin) {
  double inside = 0, all = 0;
  for (const CnfFlow& flow : trial.flows) {
    if (flow.sampled < 2) continue;
    ++all;
    inside +=
        std::abs(flow.*estimator - flow.truth) <= flow.*margin + 1;  // a nanosecond for rounding
  }
  return all > 0 ? inside / all : 0;
}

RelativeErrors deviation_errors_of(const CnfTrial& trial, double CnfFlow::* estimator,
                                   std::uint64_t least) {
  RelativeErrors errors;
  for (const CnfFlow& flow : trial.flows)
    if (flow.size >= least && flow.sampled > 1) errors.add(flow.*estimator, flow.true_deviation);
  return errors;
}

}  // namespace sojourn
