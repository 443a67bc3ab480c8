#include "store/loss_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sojourn {
namespace {

constexpr double score = 1.959964;  // 95 %

struct Bounds {
  double low, high;
};

/// Wilson 1927.
Bounds wilson(double share, double n) {
  const double z2 = score * score;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = score / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

/// How many times greater the variance of the share is than for independent packets; at least 1.
double design_effect(const std::array<double, FlowTag::groups>& lost,
                     const std::array<double, FlowTag::groups>& sent, double share, double n) {
  double squares = 0;
  for (std::size_t g = 0; g < lost.size(); ++g) {
    const double z = lost[g] - share * sent[g];
    squares += z * z;
  }
  const double groups = FlowTag::groups;
  const double between = groups / (groups - 1) * squares / (n * n);
  const double independent = share * (1 - share) / n;
  return independent > 0 ? std::max(1.0, between / independent) : 1;
}

}  // namespace

void LossSums::add(const CellBlock& block) {
  for (const HistogramCell& cell : block.cells) {
    if (cell.bin == static_cast<std::int32_t>(LossBin::sent)) sent[cell.flow_group] += cell.weight;
    if (cell.bin == static_cast<std::int32_t>(LossBin::arrived))
      arrived[cell.flow_group] += cell.weight;
    if (cell.bin == static_cast<std::int32_t>(LossBin::unseen))
      unseen[cell.flow_group] += cell.weight;
  }
}

double LossSums::total(const std::array<double, FlowTag::groups>& of) const {
  return std::accumulate(of.begin(), of.end(), 0.0);
}

std::optional<LossEstimate> loss_estimate(const LossSums& sums) {
  LossEstimate loss;
  loss.sent = sums.total(sums.sent);
  loss.arrived = sums.total(sums.arrived);
  loss.unseen = sums.total(sums.unseen);
  if (loss.sent <= 0) return std::nullopt;
  std::array<double, FlowTag::groups> lost{}, perhaps_lost{}, perhaps_sent{};
  for (std::size_t g = 0; g < lost.size(); ++g) {
    lost[g] = sums.sent[g] - sums.arrived[g];
    perhaps_lost[g] = lost[g] + sums.unseen[g];
    perhaps_sent[g] = sums.sent[g] + sums.unseen[g];
  }
  loss.share = std::clamp((loss.sent - loss.arrived) / loss.sent, 0.0, 1.0);
  const double all = loss.sent + loss.unseen;
  const double most = std::clamp((loss.sent - loss.arrived + loss.unseen) / all, 0.0, 1.0);
  loss.low =
      wilson(loss.share, loss.sent / design_effect(lost, sums.sent, loss.share, loss.sent)).low;
  loss.high = wilson(most, all / design_effect(perhaps_lost, perhaps_sent, most, all)).high;
  return loss;
}

}  // namespace sojourn
