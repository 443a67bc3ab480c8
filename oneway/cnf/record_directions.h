#pragma once
// Splits flow records of bidirectional traffic by direction.

#include <span>

#include "oneway/cnf/association.h"

namespace sojourn {

struct DirectedAssociations {
  Association forward;
  /// Its delays are negated, so that the longest are the largest here as well.
  Association backward;
};

/// By the delays of a flow's ends and those of its counterpart (oneway/direction.h).  `unmatched`
/// stays with `all`.
DirectedAssociations by_direction(const Association& all, std::span<const FlowRecord> first);

/// Negates delays: readings of the clocks become delays in the other direction, and back.
void turn_round(Association& association);

}  // namespace sojourn
