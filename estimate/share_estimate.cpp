#include "estimate/share_estimate.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// 97.5 % of Student's t for 3 to 15 degrees of freedom.
constexpr std::array<double, 13> student = {3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
                                            2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
constexpr std::size_t fewest_groups = 4;

/// Wilson's interval for a share `p` of `n` independent trials.
void bound(ShareEstimate& share, double n, double z) {
  const double p = share.value, square = z * z;
  const double middle = (p + square / (2 * n)) / (1 + square / n);
  const double half = z / (1 + square / n) * std::sqrt(p * (1 - p) / n + square / (4 * n * n));
  share.low = p <= 0 ? 0 : std::clamp(middle - half, 0.0, p);
  share.high = p >= 1 ? 1 : std::clamp(middle + half, p, 1.0);
  share.bounded = true;
}

}  // namespace

ShareEstimate share_of(std::uint64_t part, std::uint64_t whole) {
  ShareEstimate share;
  share.part = static_cast<double>(part);
  share.whole = static_cast<double>(whole);
  if (whole == 0) return share;
  share.value = share.part / share.whole;
  bound(share, share.whole, 1.96);
  return share;
}

ShareEstimate share_besides(double whole, double weights, double squares, double usual_weight) {
  ShareEstimate share;
  share.by_weights = true;
  share.whole = whole;
  if (whole <= 0) return share;
  share.part = std::max(whole - weights, 0.0);
  share.value = share.part / whole;
  const double weight =
      weights > 0 ? std::max({squares / weights, usual_weight, 1.0}) : usual_weight;
  if (weight <= 0) return share;
  ShareEstimate seen;
  seen.value = std::min(weights / weight / whole, 1.0);
  bound(seen, whole, 1.96);
  share.low = std::clamp(1 - weight * seen.high, 0.0, share.value);
  share.high = std::clamp(1 - weight * seen.low, share.value, 1.0);
  share.bounded = true;
  return share;
}

ShareEstimate share_of(const ClusteredCounts& counts) {
  ShareEstimate share;
  for (std::size_t i = 0; i < ClusteredCounts::groups; ++i) {
    share.part += static_cast<double>(counts.part[i]);
    share.whole += static_cast<double>(counts.whole[i]);
  }
  if (share.whole <= 0) return share;
  share.value = std::min(share.part / share.whole, 1.0);

  // How far the ratio moves when each group is left out in turn.
  std::size_t groups = 0;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < ClusteredCounts::groups; ++i) {
    const double rest = share.whole - static_cast<double>(counts.whole[i]);
    if (counts.whole[i] <= 0 || rest <= 0) continue;
    const double without = (share.part - static_cast<double>(counts.part[i])) / rest;
    ++groups;
    sum += without;
    squares += without * without;
  }
  if (groups < fewest_groups) return share;
  const double n = static_cast<double>(groups);
  const double variance = std::max(0.0, (n - 1) / n * (squares - sum * sum / n));
  // Agresti and Coull: a share other than 0 or 1 even if none or all were lost.
  const double seen = static_cast<double>(counts.seen);
  const double guess = (share.value * seen + 2) / (seen + 4);
  const double independent =
      variance > 0 ? std::clamp(guess * (1 - guess) / variance, 1.0, seen) : seen;
  bound(share, independent, student[std::min(groups, ClusteredCounts::groups) - fewest_groups]);
  return share;
}

}  // namespace sojourn
