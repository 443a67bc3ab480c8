#include "estimate/distribution/delay_snapshot.h"

#include <cmath>

namespace sojourn {

double DelaySnapshot::total_weight() const {
  double sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.weight;
  return sum;
}

double DelaySnapshot::total_squared_weight() const {
  double sum = 0;
  for (const Bucket& bucket : buckets) sum += bucket.squared_weight;
  return sum;
}

double DelaySnapshot::effective_samples() const {
  const double weight = total_weight();
  return buckets.empty() ? 0 : weight * weight / total_squared_weight();
}

std::optional<Duration> DelaySnapshot::quantile(double q) const {
  for (const Quantile& quantile : quantiles)
    if (std::abs(quantile.q - q) < 1e-9) return quantile.delay;
  return std::nullopt;
}

}  // namespace sojourn
