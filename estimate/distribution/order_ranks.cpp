#include "estimate/distribution/order_ranks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sojourn {
namespace {

constexpr double exact_below_variance = 100;

/// The least k with P(B <= k) > low_tail, and the least with P(B <= k) >= 1 - high_tail.
/// p <= 1/2 and n p (1-p) < 100, so P(B = 0) > 1e-130 and the sum can start there.
std::pair<double, double> binomial_ranks(double n, double p, double low_tail, double high_tail) {
  double k = 0;
  double probability = std::exp(n * std::log1p(-p));
  double cumulative = probability;
  const auto advance = [&] {
    probability *= (n - k) / (k + 1) * (p / (1 - p));
    cumulative += probability;
    ++k;
  };
  while (cumulative <= low_tail && k < n) advance();
  const double low = k;
  while (cumulative < 1 - high_tail && k < n) advance();
  return {low, k};
}

}  // namespace

double normal_score(double confidence) {
  double low = 0, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > 1 - confidence ? low : high) = middle;
  }
  return low;
}

CdfLevels cdf_levels(double n, double q, double confidence) {
  const double tail = (1 - confidence) / 2;
  double low_rank = 0, high_rank = 0;
  if (n * q * (1 - q) >= exact_below_variance) {
    const double spread = normal_score(confidence) * std::sqrt(n * q * (1 - q));
    low_rank = n * q - spread;
    high_rank = n * q + spread + 1;
  } else {
    n = std::max(1.0, std::floor(n));
    // P(B <= l-1) <= tail and P(B <= u-1) >= 1 - tail; above one half count from the other end.
    const auto [first, last] = binomial_ranks(n, std::min(q, 1 - q), tail, tail);
    low_rank = q <= 0.5 ? first : n - last;
    high_rank = (q <= 0.5 ? last : n - first) + 1;
  }
  return {std::clamp(low_rank / n, 0.0, 1.0), std::clamp(high_rank / n, 0.0, 1.0), low_rank >= 1,
          high_rank <= n};
}

}  // namespace sojourn
