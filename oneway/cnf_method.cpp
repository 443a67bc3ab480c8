#include "oneway/cnf_method.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "oneway/association.h"
#include "oneway/cnf_estimators.h"
#include "oneway/selection.h"

namespace sojourn {
namespace {

/// A record of a point, its cache, and how many packets it saw.
class RecordingPoint {
 public:
  explicit RecordingPoint(const FlowCache::Options& options) : cache_(options) {}

  void add(std::span<const ObservedPacket> batch) { cache_.add(batch, records_); }
  void flush() { cache_.flush(records_); }
  std::span<const FlowRecord> records() const { return records_; }
  const FlowCache& cache() const { return cache_; }

 private:
  FlowCache cache_;
  std::vector<FlowRecord> records_;
};

class CnfMethod final : public OnewayMethod {
 public:
  CnfMethod(const OnewayOptions& options, const CnfOptions& cnf)
      : options_(options), cnf_(cnf), packet_selection_(SelectionRange::of_share(options.sampling), options.label),
        flow_selection_(SelectionRange::of_share(options.sampling), options.label), exported_(options.label), first_(cnf.cache), last_(cnf.cache) {
    // Of selected packets the selecting label says little: export another, and of 32 bits.
    exported_.function = LabelFunction::bob;
    exported_.init ^= 0x5bd1e995;
    batch_.reserve(max_batch);
  }

  void first(std::span<const IpPacket> batch) override { first_.add(selected(batch)); }
  void last(std::span<const IpPacket> batch) override { last_.add(selected(batch)); }
  OnewayResult finish() override;

 private:
  std::span<const ObservedPacket> selected(std::span<const IpPacket> batch);
  DelaySummary estimate(const AssociatedFlow& flow, const FlowRecord& record, const DelaySeries& series) const;
  void add_counters(const Association& association, std::uint64_t outliers, OnewayResult& result) const;

  OnewayOptions options_;
  CnfOptions cnf_;
  PacketSelection packet_selection_;
  FlowSelection flow_selection_;
  LabelOptions exported_;
  RecordingPoint first_, last_;
  std::vector<ObservedPacket> batch_;
};

std::span<const ObservedPacket> CnfMethod::selected(std::span<const IpPacket> batch) {
  batch_.clear();
  for (const IpPacket& packet : batch) {
    if (!(options_.sample_flows ? flow_selection_.selects(packet) : packet_selection_.selects(packet))) continue;
    batch_.push_back({packet.key(), packet.flow, packet.time, packet.ip_length, label_of(packet, exported_), packet.tcp_flags});
  }
  return batch_;
}

DelaySummary CnfMethod::estimate(const AssociatedFlow& flow, const FlowRecord& record, const DelaySeries& series) const {
  switch (cnf_.estimator) {
    case CnfEstimator::endpoint: return endpoint_estimate(flow);
    case CnfEstimator::multiflow: return multiflow_estimate(record, series);
    case CnfEstimator::hybrid: return hybrid_estimate(flow, record, series, cnf_.hybrid_threshold);
    case CnfEstimator::nearby: break;
  }
  return nearby_estimate(flow, record, series, options_.sample_flows ? 1 : options_.sampling);
}

/// Several records of a flow: means and variances weighted by their packets.
struct FlowSum {
  std::uint64_t packets = 0;
  double delay = 0, square = 0;

  void add(std::uint64_t weight, const DelaySummary& summary) {
    const auto n = static_cast<double>(weight);
    packets += weight;
    delay += n * summary.mean_ns;
    square += n * (summary.mean_ns * summary.mean_ns + summary.deviation_ns * summary.deviation_ns);
  }
  double mean() const { return delay / static_cast<double>(packets); }
  double deviation() const {
    return std::sqrt(std::max(0.0, square / static_cast<double>(packets) - mean() * mean()));
  }
};

OnewayResult CnfMethod::finish() {
  first_.flush();
  last_.flush();
  Association association = associate_by_label(first_.records(), last_.records(), options_.window);
  const std::uint64_t outliers = drop_outliers(association, cnf_.drop_outliers);
  const DelaySeries series = delay_series(association.flows, first_.records());
  OnewayResult result;
  add_counters(association, outliers, result);
  result.memory_bytes = first_.cache().memory_bytes() + last_.cache().memory_bytes() +
                        (first_.records().size() + last_.records().size()) * sizeof(FlowRecord);

  std::map<FlowKey, FlowSum> flows;
  for (const AssociatedFlow& flow : association.flows) {
    const FlowRecord& record = first_.records()[flow.record];
    const DelaySummary summary = estimate(flow, record, series);
    if (summary.samples > 0) flows[record.key].add(record.packets, summary);
  }
  for (const auto& [key, sum] : flows) {
    FlowDelay flow;
    flow.key = key;
    flow.packets = sum.packets;
    flow.mean_ns = sum.mean();
    flow.stddev_ns = sum.deviation();
    result.flows.push_back(flow);
  }
  if (!series.empty()) {
    const DelaySummary all = series.between(series.samples().front().sent, series.samples().back().sent);
    TotalDelay total;
    total.packets = all.samples;
    total.mean_ns = all.mean_ns;
    total.stddev_ns = all.deviation_ns;
    result.total = total;
  }
  return result;
}

void CnfMethod::add_counters(const Association& association, std::uint64_t outliers, OnewayResult& result) const {
  const auto count = [&](std::string name, std::uint64_t value) { result.counters.emplace_back(std::move(name), value); };
  count("records-first", first_.records().size());
  count("records-last", last_.records().size());
  count("records-associated", association.flows.size());
  count("records-unmatched", association.unmatched);
  if (outliers > 0) count("outliers", outliers);
  for (std::size_t i = 0; i < ExpiryCounters::size; ++i) {
    const auto why = static_cast<Expiry>(i);
    const std::uint64_t both = first_.cache().expired()[why] + last_.cache().expired()[why];
    if (both > 0) count("expired-" + std::string{name_of(why)}, both);
  }
  if (first_.cache().expired()[Expiry::cache_full] > 0)
    result.notes.push_back("The flow cache was too small: flows were divided. See --cache.");
}

}  // namespace

std::unique_ptr<OnewayMethod> make_cnf(const OnewayOptions& options, const CnfOptions& cnf) {
  return std::make_unique<CnfMethod>(options, cnf);
}

}  // namespace sojourn
