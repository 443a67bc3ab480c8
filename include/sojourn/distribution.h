#pragma once
// A distribution of weighted delays.

#include <sojourn/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sojourn::v0 {

struct CdfPoint {
  std::int64_t delay_ns;
  double fraction;  ///< of all delays, at this one or below
};

/// A snapshot of the measurement.  Copies share it; it never changes.
class SOJOURN_API Distribution {
 public:
  Distribution();

  bool empty() const { return samples() == 0; }
  std::uint64_t samples() const;
  /// How many real pairs the samples represent.
  double total_weight() const;
  /// How many independent samples would give the same precision.
  double effective_samples() const;

  std::optional<std::int64_t> min_ns() const;
  std::optional<std::int64_t> max_ns() const;
  std::optional<double> mean_ns() const;
  /// q from 0 to 1; nullopt before the first sample.
  std::optional<std::int64_t> quantile_ns(double q) const;
  std::optional<Quantile> interval(double q, double confidence = 0.95) const;
  std::vector<CdfPoint> cdf() const;

 private:
  friend struct Inside;
  std::shared_ptr<const void> inside_;
};

}  // namespace sojourn::v0
