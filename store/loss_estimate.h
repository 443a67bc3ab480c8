#pragma once
// Loss from packets that both points selected, with its confidence interval.

#include <array>
#include <cstdint>
#include <optional>

#include "store/cells.h"

namespace sojourn {

/// Sums of the bins of Measure::loss, by group of flows.
struct LossSums {
  std::array<double, FlowTag::groups> sent{}, arrived{}, unseen{};

  void add(const CellBlock& block);
  double total(const std::array<double, FlowTag::groups>& of) const;
};

struct LossEstimate {
  double sent = 0, arrived = 0;
  /// In flows that the last point never saw: lost, or took another path.
  double unseen = 0;
  double share = 0;          ///< (sent - arrived) / sent, not below 0
  double low = 0, high = 1;  ///< 95 %; `high` assumes that all unseen packets were lost
};

/// Wilson's interval; flows with correlated losses count for fewer packets, by the variance between
/// random groups of flows over that of independent packets.  nullopt without packets.
std::optional<LossEstimate> loss_estimate(const LossSums& sums);

}  // namespace sojourn
