#pragma once
// A distribution as it is put aside and compared later: the buckets and what they add up to.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"
#include "estimate/distribution/flow_groups.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

/// What is kept of a distribution for another day (docs/design/expect.md).  Two of them can be
/// merged by adding up buckets, all totals being sums; only the quantiles would be made anew.
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
  /// How many times greater the variance is than of independent samples: the greater of what
  /// neighbours in time (serial_dependence.h) and samples of one flow (flow_variance.h) have alike.
  double inflation = 1;
  double serial_inflation = 1;      ///< by neighbours in time alone
  Duration min{}, max{}, mean{};    ///< only with samples
  std::vector<Quantile> quantiles;  ///< as exact as they were known
  std::vector<Bucket> buckets;      ///< only what is not empty, in order of delay
  FlowGroups flows;                 ///< the same weights by group of flows

  double total_weight() const;
  double total_squared_weight() const;
  /// (sum w)^2 / sum w^2, Kish 1965; 0 without samples.
  double effective_samples() const;
  /// The same, less what samples repeat of each other.
  double independent_samples() const { return effective_samples() / inflation; }
  /// Mean of the delays' logarithms and its variance.  A delay of 0 or less counts as 1 ns.
  struct MeanLog {
    double mean = 0;
    double variance = 0;
    double degrees = 1;  ///< of freedom, of the variance
  };
  static constexpr double known_variance = 1e9;  ///< as degrees of freedom
  MeanLog mean_log() const;
  /// One of `quantiles`; nullopt for a q that was not put aside.
  std::optional<Duration> quantile(double q) const;
};

}  // namespace sojourn
