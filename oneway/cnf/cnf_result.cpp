// CNF's collector: from the records of two points to the delays of their flows.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oneway/cnf/association.h"
#include "oneway/cnf/cnf_estimators.h"
#include "oneway/cnf/cnf_margin.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/cnf/record_directions.h"

namespace sojourn {
namespace {

/// The chosen estimator and its error estimate.
class Estimator {
 public:
  Estimator(const OnewayOptions& options, const CnfOptions& cnf,
            std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first,
            const DelaySeries& series)
      : cnf_(cnf),
        share_(options.sample_flows ? 1 : options.sampling),
        series_(series),
        margins_(series, flows, first, share_) {}

  /// `out` has the size of `flows`.
  void summarise(std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first,
                 std::span<DelaySummary> out) const {
    if (cnf_.estimator == CnfEstimator::multiflow) {
      multiflow_estimates(flows, first, series_, out);
      return;
    }
    for (std::size_t i = 0; i < flows.size(); ++i)
      out[i] = summary(flows[i], first[flows[i].record]);
  }

  std::optional<double> margin_ns(const AssociatedFlow& flow, const FlowRecord& record) const {
    const std::uint64_t known = flow.first_delay.has_value() + flow.last_delay.has_value();
    const bool own_delays_only = cnf_.estimator == CnfEstimator::endpoint ||
                                 (cnf_.estimator == CnfEstimator::hybrid &&
                                  hybrid_takes_endpoint(record, share_, cnf_.hybrid_threshold));
    if (own_delays_only) return margins_.endpoint_ns(record, known);
    if (cnf_.estimator == CnfEstimator::nearby) return margins_.nearby_ns(record, known);
    return margins_.multiflow_ns(record, known);
  }

 private:
  DelaySummary summary(const AssociatedFlow& flow, const FlowRecord& record) const {
    switch (cnf_.estimator) {
      case CnfEstimator::endpoint:
        return endpoint_estimate(flow);
      case CnfEstimator::multiflow:
        return multiflow_estimate(record, series_);
      case CnfEstimator::hybrid:
        return hybrid_estimate(flow, record, series_, share_, cnf_.hybrid_threshold);
      case CnfEstimator::nearby:
        break;
    }
    return nearby_estimate(flow, record, series_, share_);
  }

  const CnfOptions& cnf_;
  double share_;
  const DelaySeries& series_;
  CnfMargins margins_;
};

/// Several records of a flow: means and variances weighted by their packets.
struct FlowSum {
  std::uint64_t packets = 0;
  double delay = 0, square = 0;
  /// Records of a flow may have errors in the same direction, so margins add up like the means.
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
  FlowDelay as_flow(const FlowKey& key, Direction direction) const {
    FlowDelay flow;
    flow.key = key;
    flow.direction = direction;
    flow.packets = packets;
    flow.mean_ns = mean();
    flow.stddev_ns = deviation();
    if (margin_known) flow.margin_ns = margin / static_cast<double>(packets);
    return flow;
  }
};

void add_counters(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                  std::uint64_t associated, std::uint64_t unmatched, std::uint64_t outliers,
                  OnewayResult& result) {
  const auto count = [&](std::string name, std::uint64_t value) {
    result.counters.emplace_back(std::move(name), value);
  };
  count("records-first", first.size());
  count("records-last", last.size());
  count("records-associated", associated);
  count("records-unmatched", unmatched);
  if (outliers > 0) count("outliers", outliers);
  ExpiryCounters expired;
  for (const auto records : {first, last})
    for (const FlowRecord& record : records) ++expired[record.expiry];
  for (std::size_t i = 0; i < ExpiryCounters::size; ++i) {
    const auto why = static_cast<Expiry>(i);
    if (expired[why] > 0) count("expired-" + std::string{name_of(why)}, expired[why]);
  }
  if (std::ranges::count(first, Expiry::cache_full, &FlowRecord::expiry) > 0)
    result.notes.emplace_back("The flow cache was too small: flows were divided.",
                              Advice::flow_cache);
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

/// The records of one direction: delays of the two directions are not neighbours.
void estimate_direction(Direction direction, const Association& association,
                        std::span<const FlowRecord> first, const OnewayOptions& options,
                        const CnfOptions& cnf, OnewayResult& result) {
  const DelaySeries series = delay_series(association.flows, first);
  const Estimator estimator{options, cnf, association.flows, first, series};
  std::vector<DelaySummary> summaries(association.flows.size());
  estimator.summarise(association.flows, first, summaries);
  std::map<FlowKey, FlowSum> flows;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const AssociatedFlow& flow = association.flows[i];
    const FlowRecord& record = first[flow.record];
    if (summaries[i].samples > 0)
      flows[record.key].add(record.packets, summaries[i], estimator.margin_ns(flow, record));
  }
  for (const auto& [key, sum] : flows) result.flows.push_back(sum.as_flow(key, direction));
  DirectionResult row{
      .direction = direction, .flows = flows.size(), .total = {}, .sent = {}, .lost = {}};
  if (!series.empty()) row.total = total_of(series);
  if (direction == Direction::forward) result.total = row.total;
  row.total = in_direction(direction, row.total);
  result.directions.push_back(std::move(row));
}

}  // namespace

OnewayResult cnf_result(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                        const OnewayOptions& options, const CnfOptions& cnf) {
  Association all = associate_by_label(first, last, options.window);
  OnewayResult result;
  result.memory_bytes = (first.size() + last.size()) * sizeof(FlowRecord);
  auto [forward, backward] = by_direction(all, first);
  const std::uint64_t outliers =
      drop_outliers(forward, cnf.drop_outliers) + drop_outliers(backward, cnf.drop_outliers);
  all.unmatched += forward.unmatched + backward.unmatched;
  const std::size_t associated = forward.flows.size() + backward.flows.size();
  add_counters(first, last, associated, all.unmatched, outliers, result);
  estimate_direction(Direction::forward, forward, first, options, cnf, result);
  if (backward.flows.empty()) {
    result.directions.clear();
    return result;
  }
  turn_round(backward);
  estimate_direction(Direction::backward, backward, first, options, cnf, result);
  std::ranges::sort(result.flows, {}, &FlowDelay::key);
  return result;
}

}  // namespace sojourn
