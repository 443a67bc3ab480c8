#pragma once
// Flows that belong together, with their delays and their loss.

#include <cstdint>
#include <string>
#include <vector>

#include "core/flow_key.h"
#include "estimate/distribution/distribution.h"
#include "estimate/grouping.h"

namespace sojourn {

struct OnewayMeasurement;

/// A flow is grouped as a sample whose requester is its source.
GroupKey group_of(const Grouping& grouping, const FlowKey& flow);

struct GroupDelay {
  std::string label;
  const Distribution* delays = nullptr;  ///< borrowed from the measurement
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
};

/// All groups, the one with the most delays first.
std::vector<GroupDelay> groups_of(const Grouping& grouping, const OnewayMeasurement& measured);

}  // namespace sojourn
