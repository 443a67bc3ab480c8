#pragma once
// A distribution in the form in which it is stored and compared later: buckets and totals.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"
#include "estimate/distribution/flow_groups.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

/// The stored part of a distribution (docs/design/expect.md).  Two of them can be merged by adding
/// up buckets, because all totals are sums; only the quantiles have to be recomputed.
struct DelaySnapshot {
  struct Bucket {
    std::int32_t index = 0;  ///< of LogBuckets
    double weight = 0;
    double squared_weight = 0;  ///< sum of the squares of the weights, for the sample size
  };
  struct Quantile {
    double q = 0;
    Duration delay{};
  };

  std::uint64_t samples = 0;
  /// How many times greater the variance is than for independent samples: the greater of the
  /// effects of neighbours in time (serial_dependence.h) and of samples of one flow
  /// (flow_variance.h).
  double inflation = 1;
  double serial_inflation = 1;      ///< by neighbours in time only
  Duration min{}, max{}, mean{};    ///< only with samples
  std::vector<Quantile> quantiles;  ///< as exact as known
  std::vector<Bucket> buckets;      ///< only non-empty ones, in order of delay
  FlowGroups flows;                 ///< the same weights by group of flows

  double total_weight() const;
  double total_squared_weight() const;
  /// (sum w)^2 / sum w^2, Kish 1965; 0 without samples.
  double effective_samples() const;
  /// The same, divided by the inflation of the variance.
  double independent_samples() const { return effective_samples() / inflation; }
  /// Mean of the delays' logarithms and its variance.  A delay of 0 or less counts as 1 ns.
  struct MeanLog {
    double mean = 0;
    double variance = 0;
    double degrees = 1;  ///< of freedom, of the variance
  };
  static constexpr double known_variance = 1e9;  ///< as degrees of freedom
  MeanLog mean_log() const;
  /// One of `quantiles`; nullopt for a q that was not stored.
  std::optional<Duration> quantile(double q) const;
};

}  // namespace sojourn
