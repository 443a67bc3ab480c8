#include "experiments/roundtrip/table_trial.h"

#include <algorithm>
#include <cmath>

#include "estimate/distribution/distribution.h"

namespace sojourn {

TrialTruth::TrialTruth(const RequestTrace& trace)
    : pairs_(static_cast<double>(trace.delays_ns.size())) {
  for (std::size_t i = 0; i + 1 < quantiles; ++i) qs_[i] = 0.01 * static_cast<double>(i + 5);
  qs_.back() = 0.99;
  for (std::size_t i = 0; i < quantiles; ++i) delays_ns_[i] = trace.quantile_ns(qs_[i]);
}

TrialErrors TrialTruth::judge(std::span<const FridgeSample> samples) const {
  TrialErrors errors;
  if (samples.empty()) {
    errors.p50 = errors.p95 = errors.p99 = errors.worst = errors.signed_p50 = 10;
    return errors;
  }
  Distribution distribution{Keep::every_sample};
  for (const FridgeSample& sample : samples)
    distribution.add(Duration{sample.delay_ns}, sample.weight);
  std::array<double, quantiles> estimated_ns;
  std::ranges::transform(distribution.quantiles(qs_), estimated_ns.begin(),
                         [](Duration delay) { return static_cast<double>(delay.count()); });
  errors = judge_quantiles(estimated_ns);
  errors.total = distribution.total_weight() / pairs_;
  errors.samples = static_cast<double>(samples.size());
  return errors;
}

TrialErrors TrialTruth::judge_quantiles(std::span<const double> estimated_ns) const {
  TrialErrors errors;
  std::array<double, quantiles> off;
  for (std::size_t i = 0; i < quantiles; ++i)
    off[i] = std::log2(std::max(estimated_ns[i], 1.0) / delays_ns_[i]);
  for (std::size_t i = 0; i + 1 < quantiles; ++i)
    errors.worst = std::max(errors.worst, std::fabs(off[i]));
  errors.signed_p50 = off[45];
  errors.p50 = std::fabs(off[45]);
  errors.p95 = std::fabs(off[90]);
  errors.p99 = std::fabs(off[91]);
  return errors;
}

TrialErrors median_of(std::span<const TrialErrors> trials) {
  const auto median = [&](double TrialErrors::* figure) {
    std::vector<double> values;
    for (const TrialErrors& trial : trials) values.push_back(trial.*figure);
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.empty()      ? 0
           : values.size() % 2 ? values[half]
                               : (values[half - 1] + values[half]) / 2;
  };
  return {median(&TrialErrors::p50),        median(&TrialErrors::p95),
          median(&TrialErrors::p99),        median(&TrialErrors::worst),
          median(&TrialErrors::signed_p50), median(&TrialErrors::total),
          median(&TrialErrors::samples)};
}

}  // namespace sojourn
