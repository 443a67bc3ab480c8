#include "oneway/cnf/cnf_estimators.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/prefetch.h"

namespace sojourn {

DelaySummary endpoint_estimate(const AssociatedFlow& flow) {
  if (!flow.first_delay && !flow.last_delay) return {};
  if (!flow.first_delay || !flow.last_delay) {
    const Duration known = flow.first_delay ? *flow.first_delay : *flow.last_delay;
    return {1, static_cast<double>(to_ns(known)), 0};
  }
  const auto first = static_cast<double>(to_ns(*flow.first_delay));
  const auto half = static_cast<double>(to_ns(*flow.last_delay - *flow.first_delay)) / 2;
  // Two samples: sum of squares / (2 - 1) = 2 half^2.
  return {2, first + half, std::abs(half) * std::sqrt(2.0)};
}

DelaySummary multiflow_estimate(const FlowRecord& record, const DelaySeries& series) {
  return series.between(record.first, record.last);
}

bool hybrid_takes_endpoint(const FlowRecord& record, double sampling, std::uint64_t threshold) {
  return static_cast<double>(record.packets) <= static_cast<double>(threshold) * sampling;
}

DelaySummary hybrid_estimate(const AssociatedFlow& flow, const FlowRecord& record,
                             const DelaySeries& series, double sampling, std::uint64_t threshold) {
  return hybrid_takes_endpoint(record, sampling, threshold) ? endpoint_estimate(flow)
                                                            : multiflow_estimate(record, series);
}

void multiflow_estimates(std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first,
                         const DelaySeries& series, std::span<DelaySummary> out) {
  assert(out.size() == flows.size());
  // The cache misses of a flow depend on each other: its record, its place in the series, the
  // samples there.
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (i + 3 * ahead < flows.size()) prefetch_to_read(&first[flows[i + 3 * ahead].record].first);
    if (i + 2 * ahead < flows.size()) {
      const FlowRecord& soon = first[flows[i + 2 * ahead].record];
      series.prefetch_place(soon.first);
      series.prefetch_place(soon.last);
    }
    if (i + ahead < flows.size()) {
      const FlowRecord& next = first[flows[i + ahead].record];
      series.prefetch_samples(next.first);
      series.prefetch_samples(next.last);
    }
    out[i] = multiflow_estimate(first[flows[i].record], series);
  }
}

Duration beyond_the_ends(const FlowRecord& record, double sampling) {
  if (record.packets < 2) return Duration{0};
  const double gap = static_cast<double>(to_ns(record.last - record.first)) /
                     static_cast<double>(record.packets - 1);
  return Duration{std::llround((1 - sampling) * gap)};
}

DelaySummary nearby_estimate(const AssociatedFlow& flow, const FlowRecord& record,
                             const DelaySeries& series, double sampling, std::size_t neighbours) {
  const DelaySummary own = endpoint_estimate(flow);
  const Duration beyond = beyond_the_ends(record, sampling);
  const DelaySummary around =
      series.over(series.at_least(neighbours, record.first - beyond, record.last + beyond));
  if (around.samples == 0) return own;
  if (own.samples == 0) return around;
  const double packets = static_cast<double>(record.packets) / sampling;
  const double share = std::min(1.0, static_cast<double>(own.samples) / packets);
  return {around.samples, share * own.mean_ns + (1 - share) * around.mean_ns,
          share >= 1 ? own.deviation_ns : around.deviation_ns};
}

void InterpolatedFlow::sent(Timestamp time) {
  const auto delay = series_->interpolated_ns(time);
  if (!delay) return;
  ++count_;
  const double off = *delay - mean_;
  mean_ += off / static_cast<double>(count_);
  squares_ += off * (*delay - mean_);
}

double InterpolatedFlow::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

}  // namespace sojourn
