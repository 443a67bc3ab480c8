#include "oneway/cnf/cnf_margin.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "oneway/cnf/cnf_estimators.h"
#include "oneway/cnf/moment.h"

namespace sojourn {

/// Cornish and Fisher's expansion about the normal quantile; exact to 2 % from three degrees of
/// freedom on.  Below that it is the tables' 12.71 and 4.30.
double student_factor(double degrees) {
  if (degrees < 2) return 12.706;
  if (degrees < 3) return 4.303;
  constexpr double z = 1.95996, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  constexpr double once = (z3 + z) / 4, twice = (5 * z5 + 16 * z3 + 3 * z) / 96,
                   thrice = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  return z + (once + (twice + thrice / degrees) / degrees) / degrees;
}

CnfMargins::CnfMargins(const DelaySeries& series, std::span<const AssociatedFlow> flows,
                       std::span<const FlowRecord> first, double sampling)
    : series_(&series), sampling_(sampling) {
  if (sampling >= 1) return;  // the ends of a record are those of its flow
  std::vector<Duration> lengths;
  for (const AssociatedFlow& flow : flows)
    if (const FlowRecord& record = first[flow.record]; record.packets > 1)
      lengths.push_back(record.last - record.first + 2 * beyond_the_ends(record, sampling));
  if (lengths.empty()) return;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  usual_length_ = *middle;
}

/// Twice as far as the average extension of flows: some extend further, and that matters if delay
/// drifts.  A flow with one selected packet may have begun or ended with it; only flows with more
/// show how long flows last.
Duration CnfMargins::reach_beyond(const FlowRecord& record) const {
  return record.packets > 1 ? 2 * beyond_the_ends(record, sampling_) : usual_length_;
}

std::optional<double> CnfMargins::margin_ns(const FlowRecord& record, double series_moments,
                                            double flow_moments) const {
  const Duration beyond = std::max(reach_beyond(record), least_reach);
  const auto around = series_->at_least(neighbours, record.first - beyond, record.last + beyond);
  if (around.size() < 2 || series_moments <= 0 || flow_moments <= 0) return std::nullopt;
  const double degrees = std::max(1.0, series_->moments(around) - 1);
  return student_factor(degrees) * series_->over(around).deviation_ns *
         std::sqrt(1 / series_moments + 1 / flow_moments);
}

std::optional<double> CnfMargins::multiflow_ns(const FlowRecord& record,
                                               std::uint64_t known) const {
  const auto own_time = series_->within(record.first, record.last);
  if (own_time.size() == known && endpoint_ns(record, known)) return 0;  // no other flows' delays
  return margin_ns(record, series_->moments(own_time), effective_moments(record));
}

std::optional<double> CnfMargins::nearby_ns(const FlowRecord& record, std::uint64_t known) const {
  const double estimated = packets_of(record) - static_cast<double>(known);
  if (estimated <= 0) return 0;
  const Duration beyond = beyond_the_ends(record, sampling_);
  const auto around = series_->at_least(neighbours, record.first - beyond, record.last + beyond);
  const auto margin = margin_ns(record, series_->moments(around),
                                std::min(effective_moments(record), std::max(1.0, estimated)));
  return margin ? std::optional{*margin * estimated / packets_of(record)} : std::nullopt;
}

std::optional<double> CnfMargins::endpoint_ns(const FlowRecord& record, std::uint64_t known) const {
  return static_cast<double>(known) >= packets_of(record) ? std::optional{0.0} : std::nullopt;
}

}  // namespace sojourn
