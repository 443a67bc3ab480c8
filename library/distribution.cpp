#include <sojourn/distribution.h>

#include <cmath>

#include "library/inside.h"

namespace sojourn::v0 {
namespace {

std::optional<std::int64_t> ns_of(const std::optional<Duration>& duration) {
  return duration ? std::optional{to_ns(*duration)} : std::nullopt;
}

}  // namespace

Distribution::Distribution() = default;

std::uint64_t Distribution::samples() const {
  const auto* inside = Inside::open(*this);
  return inside ? inside->count() : 0;
}

double Distribution::total_weight() const {
  const auto* inside = Inside::open(*this);
  return inside ? inside->total_weight() : 0;
}

double Distribution::effective_samples() const {
  const auto* inside = Inside::open(*this);
  return inside && !inside->empty() ? inside->effective_samples() : 0;
}

std::optional<std::int64_t> Distribution::min_ns() const {
  const auto* inside = Inside::open(*this);
  return inside ? ns_of(inside->min()) : std::nullopt;
}

std::optional<std::int64_t> Distribution::max_ns() const {
  const auto* inside = Inside::open(*this);
  return inside ? ns_of(inside->max()) : std::nullopt;
}

std::optional<double> Distribution::mean_ns() const {
  const auto* inside = Inside::open(*this);
  const auto mean = inside ? inside->mean() : std::nullopt;
  return mean ? std::optional{static_cast<double>(to_ns(*mean))} : std::nullopt;
}

std::optional<std::int64_t> Distribution::quantile_ns(double q) const {
  const auto* inside = Inside::open(*this);
  return inside && q >= 0 && q <= 1 ? ns_of(inside->quantile(q)) : std::nullopt;
}

std::optional<Quantile> Distribution::interval(double q, double confidence) const {
  const auto* inside = Inside::open(*this);
  const bool sensible = q >= 0 && q <= 1 && confidence > 0 && confidence < 1;
  if (!inside || inside->empty() || !sensible) return std::nullopt;
  const QuantileEstimate estimate = inside->estimates({&q, 1}, confidence).front();
  return Quantile{.q = q,
                  .delay_ns = to_ns(estimate.delay),
                  .low_ns = to_ns(estimate.interval.low),
                  .high_ns = to_ns(estimate.interval.high),
                  .bounded_below = estimate.interval.bounded_below,
                  .bounded_above = estimate.interval.bounded_above};
}

std::vector<CdfPoint> Distribution::cdf() const {
  std::vector<CdfPoint> points;
  const auto* inside = Inside::open(*this);
  if (!inside || inside->empty()) return points;
  for (const auto& point : inside->cdf()) points.push_back({to_ns(point.delay), point.fraction});
  return points;
}

}  // namespace sojourn::v0
