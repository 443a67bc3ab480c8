#include "estimate/distribution/delay_snapshot.h"

#include <algorithm>
#include <cmath>

#include "estimate/distribution/flow_variance.h"

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

DelaySnapshot::MeanLog DelaySnapshot::mean_log() const {
  const auto log_of = [](std::int32_t first, std::int32_t last) {
    return std::log(std::max(1.0, (static_cast<double>(LogBuckets::lowest(first)) +
                                   static_cast<double>(LogBuckets::highest(last))) /
                                      2));
  };
  MeanLog result;
  const double weight = total_weight();
  for (const Bucket& bucket : buckets)
    result.mean += bucket.weight * log_of(bucket.index, bucket.index) / weight;
  double of_samples = 0;
  for (const Bucket& bucket : buckets) {
    const double off = log_of(bucket.index, bucket.index) - result.mean;
    of_samples += bucket.squared_weight * off * off / (weight * weight);
  }

  FlowGroups::Row whole{}, sums{};
  flows.for_each([&](std::int32_t cell, const FlowGroups::Row& row) {
    const std::int32_t last = FlowGroups::last_bucket(cell);
    const double value = log_of(last - FlowGroups::buckets_per_cell + 1, last);
    for (std::size_t g = 0; g < row.size(); ++g) {
      whole[g] += row[g];
      sums[g] += row[g] * value;
    }
  });
  double all = 0, sum = 0, squares = 0;
  for (std::size_t g = 0; g < whole.size(); ++g) {
    all += whole[g];
    sum += sums[g];
    squares += whole[g] * whole[g];
  }
  result.variance = of_samples * serial_inflation;
  result.degrees = known_variance;
  if (all <= 0 || of_samples <= 0) return result;
  const bool few = flows.count().flows < FlowVariance::fewest_flows;
  double of_flows = 0;
  for (std::size_t g = 0; g < whole.size(); ++g) {
    const double z =
        (sums[g] - sum / all * whole[g]) / all * (few ? 1 : jackknife_factor(whole[g] / all));
    of_flows += z * z * FlowTag::groups / (FlowTag::groups - 1);
  }
  if (of_flows < FlowVariance::by_chance * of_samples || of_flows < result.variance) return result;
  result.variance = of_flows;
  result.degrees = std::max(1.0, all * all / squares - 1);
  return result;
}

std::optional<Duration> DelaySnapshot::quantile(double q) const {
  for (const Quantile& quantile : quantiles)
    if (std::abs(quantile.q - q) < 1e-9) return quantile.delay;
  return std::nullopt;
}

}  // namespace sojourn
