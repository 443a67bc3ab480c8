#include "estimate/distribution/order_ranks.h"

#include <algorithm>
#include <cmath>

#include "estimate/distribution/tail_functions.h"

namespace sojourn {
namespace {

constexpr double exact_below_variance = 400;

/// The rank k at which P(Beta(k, n + 1 - k) <= q), which falls with k, is `probability`; to a
/// thousandth of a rank.  `guess` is where to begin.
double rank_at(double n, double q, double probability, double guess) {
  const auto below = [&](double rank) {
    return rank <= 0 || (rank < n + 1 && incomplete_beta(rank, n + 1 - rank, q) > probability);
  };
  double low = guess, high = guess;
  for (double step = 1; !below(low); step *= 2) low -= step;
  for (double step = 1; below(high); step *= 2) high += step;
  while (high - low > 1e-3) {
    const double middle = (low + high) / 2;
    (below(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

CdfLevels cdf_levels(double n, double q, double confidence) {
  n = std::max(n, 1.0);
  const double tail = (1 - confidence) / 2;
  const double z = normal_score(confidence), variance = n * q * (1 - q);
  const double middle = n * q + 0.5 + (1 - 2 * q) * (z * z - 1) / 6;
  double low_rank = middle - z * std::sqrt(variance);
  double high_rank = middle + z * std::sqrt(variance);
  if (variance < exact_below_variance) {
    low_rank = rank_at(n, q, 1 - tail, low_rank);
    high_rank = rank_at(n, q, tail, high_rank);
  }
  const auto level = [n](double rank) { return std::clamp((rank - 0.5) / n, 0.0, 1.0); };
  return {level(low_rank), level(high_rank), std::pow(1 - q, n) <= tail, std::pow(q, n) <= tail};
}

}  // namespace sojourn
