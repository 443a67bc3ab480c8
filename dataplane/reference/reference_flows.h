#pragma once
// What the program has learned of flows from reference packets, as figures.

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/kernel/reference/reference_abi.h"
#include "store/references/reference_interval.h"

namespace sojourn {

/// Settles what still waits for a gap that is closed by now, joins the records that a flow has on
/// several CPUs, and gives the flows in the order of their keys.  Packets whose gap is still open
/// stay unestimated.
std::vector<ReferenceFlow> reference_flows(std::span<const rp_group> groups,
                                           std::span<const rp_key> keys,
                                           std::span<const rp_gap> gaps, std::int64_t base_ns);

}  // namespace sojourn
