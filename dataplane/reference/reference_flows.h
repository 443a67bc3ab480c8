#pragma once
// What the program has learned of flows from reference packets, as figures.

#include <cstdint>
#include <span>
#include <vector>

#include "core/flow_key.h"
#include "dataplane/kernel/reference/reference_abi.h"

namespace sojourn {

struct ReferenceFlow {
  FlowKey key;
  std::uint64_t packets = 0;    ///< all
  std::uint64_t estimated = 0;  ///< of them, those with a reference packet on either side
  std::uint64_t left_only = 0;  ///< of these, by the one before them alone
  double mean_ns = 0, deviation_ns = 0;
};

/// Settles what still waits for a gap that is closed by now, joins the records that a flow has on
/// several CPUs, and gives the flows in the order of their keys.  Packets whose gap is still open
/// stay unestimated.
std::vector<ReferenceFlow> reference_flows(std::span<const rp_group> groups,
                                           std::span<const rp_key> keys,
                                           std::span<const rp_gap> gaps, std::int64_t base_ns);

}  // namespace sojourn
