// CNF's collector: from the records of two points to the delays of their flows.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "oneway/cnf/association.h"
#include "oneway/cnf/cnf_estimators.h"
#include "oneway/cnf/cnf_margin.h"
#include "oneway/cnf/cnf_method.h"

namespace sojourn {
namespace {

/// The chosen estimator, and how far to trust it.
class Estimator {
 public:
  Estimator(const OnewayOptions& options, const CnfOptions& cnf, const DelaySeries& series)
      : cnf_(cnf), share_(options.sample_flows ? 1 : options.sampling), series_(series) {}

  DelaySummary summary(const AssociatedFlow& flow, const FlowRecord& record) const {
    switch (cnf_.estimator) {
      case CnfEstimator::endpoint:
        return endpoint_estimate(flow);
      case CnfEstimator::multiflow:
        return multiflow_estimate(record, series_);
      case CnfEstimator::hybrid:
        return hybrid_estimate(flow, record, series_, cnf_.hybrid_threshold);
      case CnfEstimator::nearby:
        break;
    }
    return nearby_estimate(flow, record, series_, share_);
  }

  std::optional<double> margin_ns(const AssociatedFlow& flow, const FlowRecord& record,
                                  const DelaySummary& summary) const {
    const std::uint64_t known = flow.first_delay.has_value() + flow.last_delay.has_value();
    const double packets = static_cast<double>(record.packets) / share_;
    const bool own_delays_only =
        cnf_.estimator == CnfEstimator::endpoint ||
        (cnf_.estimator == CnfEstimator::hybrid && record.packets <= cnf_.hybrid_threshold);
    if (own_delays_only) return endpoint_margin_ns(known, packets);
    if (cnf_.estimator == CnfEstimator::nearby)
      return nearby_margin_ns(summary, record.packets, known, packets);
    return multiflow_margin_ns(summary, record.packets);
  }

 private:
  const CnfOptions& cnf_;
  double share_;
  const DelaySeries& series_;
};

/// Several records of a flow: means and variances weighted by their packets.
struct FlowSum {
  std::uint64_t packets = 0;
  double delay = 0, square = 0;
  /// Records of a flow may be off in the same direction, so margins add up like the means.
  double margin = 0;
  bool margin_known = true;

  void add(std::uint64_t weight, const DelaySummary& summary,
           const std::optional<double>& margin_ns) {
    const auto n = static_cast<double>(weight);
    packets += weight;
    delay += n * summary.mean_ns;
    square += n * (summary.mean_ns * summary.mean_ns + summary.deviation_ns * summary.deviation_ns);
    margin += n * margin_ns.value_or(0);
    margin_known = margin_known && margin_ns.has_value();
  }
  double mean() const { return delay / static_cast<double>(packets); }
  double deviation() const {
    return std::sqrt(std::max(0.0, square / static_cast<double>(packets) - mean() * mean()));
  }
  FlowDelay as_flow(const FlowKey& key) const {
    FlowDelay flow;
    flow.key = key;
    flow.packets = packets;
    flow.mean_ns = mean();
    flow.stddev_ns = deviation();
    if (margin_known) flow.margin_ns = margin / static_cast<double>(packets);
    return flow;
  }
};

void add_counters(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                  const Association& association, std::uint64_t outliers, OnewayResult& result) {
  const auto count = [&](std::string name, std::uint64_t value) {
    result.counters.emplace_back(std::move(name), value);
  };
  count("records-first", first.size());
  count("records-last", last.size());
  count("records-associated", association.flows.size());
  count("records-unmatched", association.unmatched);
  if (outliers > 0) count("outliers", outliers);
  ExpiryCounters expired;
  for (const auto records : {first, last})
    for (const FlowRecord& record : records) ++expired[record.expiry];
  for (std::size_t i = 0; i < ExpiryCounters::size; ++i) {
    const auto why = static_cast<Expiry>(i);
    if (expired[why] > 0) count("expired-" + std::string{name_of(why)}, expired[why]);
  }
  if (std::ranges::count(first, Expiry::cache_full, &FlowRecord::expiry) > 0)
    result.notes.push_back("The flow cache was too small: flows were divided. See --cache.");
}

TotalDelay total_of(const DelaySeries& series) {
  const DelaySummary all =
      series.between(series.samples().front().sent, series.samples().back().sent);
  TotalDelay total;
  total.packets = all.samples;
  total.mean_ns = all.mean_ns;
  total.stddev_ns = all.deviation_ns;
  return total;
}

}  // namespace

OnewayResult cnf_result(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                        const OnewayOptions& options, const CnfOptions& cnf) {
  Association association = associate_by_label(first, last, options.window);
  const std::uint64_t outliers = drop_outliers(association, cnf.drop_outliers);
  const DelaySeries series = delay_series(association.flows, first);
  OnewayResult result;
  add_counters(first, last, association, outliers, result);
  result.memory_bytes = (first.size() + last.size()) * sizeof(FlowRecord);

  const Estimator estimator{options, cnf, series};
  std::map<FlowKey, FlowSum> flows;
  for (const AssociatedFlow& flow : association.flows) {
    const FlowRecord& record = first[flow.record];
    const DelaySummary summary = estimator.summary(flow, record);
    if (summary.samples > 0)
      flows[record.key].add(record.packets, summary, estimator.margin_ns(flow, record, summary));
  }
  for (const auto& [key, sum] : flows) result.flows.push_back(sum.as_flow(key));
  if (!series.empty()) result.total = total_of(series);
  return result;
}

}  // namespace sojourn
