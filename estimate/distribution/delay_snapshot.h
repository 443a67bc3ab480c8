#pragma once
// A distribution as it is put aside and compared later: the buckets and what they add up to.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"
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
  double inflation = 1;  ///< of the variance, by neighbours that are alike (serial_dependence.h)
  Duration min{}, max{}, mean{};    ///< only with samples
  std::vector<Quantile> quantiles;  ///< as exact as they were known
  std::vector<Bucket> buckets;      ///< only what is not empty, in order of delay

  double total_weight() const;
  double total_squared_weight() const;
  /// (sum w)^2 / sum w^2, Kish 1965; 0 without samples.
  double effective_samples() const;
  /// The same, less what neighbours repeat of each other.
  double independent_samples() const { return effective_samples() / inflation; }
  /// One of `quantiles`; nullopt for a q that was not put aside.
  std::optional<Duration> quantile(double q) const;
};

}  // namespace sojourn
