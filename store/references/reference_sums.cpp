#include "store/references/reference_sums.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// Chan, Golub, LeVeque 1979: two means and variances as one, without large sums.
void add_delays(ReferenceFlow& sum, const ReferenceFlow& flow) {
  if (flow.estimated == 0) return;
  const auto n = static_cast<double>(sum.estimated), m = static_cast<double>(flow.estimated);
  const double apart = flow.mean_ns - sum.mean_ns, share = m / (n + m);
  const double variance = (1 - share) * sum.deviation_ns * sum.deviation_ns +
                          share * flow.deviation_ns * flow.deviation_ns +
                          share * (1 - share) * apart * apart;
  sum.mean_ns += share * apart;
  sum.deviation_ns = std::sqrt(variance);
}

}  // namespace

void ReferenceSums::add(const ReferenceInterval& interval) {
  ++intervals_;
  begin_ = std::min(begin_, interval.begin);
  end_ = std::max(end_, interval.end);
  if (interval.seen) seen_ += *interval.seen;
  for (const ReferenceFlow& flow : interval.flows) {
    const auto [known, is_new] = flows_.try_emplace(flow.key, flow);
    if (is_new) continue;
    ReferenceFlow& sum = known->second;
    add_delays(sum, flow);
    sum.packets += flow.packets;
    sum.estimated += flow.estimated;
    sum.left_only += flow.left_only;
  }
}

ReferenceInterval ReferenceSums::total() const {
  ReferenceInterval total;
  if (intervals_ == 0) return total;
  total.begin = begin_;
  total.end = end_;
  total.seen = seen_;
  total.flows.reserve(flows_.size());
  for (const auto& [key, flow] : flows_) total.flows.push_back(flow);
  return total;
}

}  // namespace sojourn
