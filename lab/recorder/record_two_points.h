#pragma once
// Writes traffic at two points to a capture each, and records the truth between them.

#include <cstdint>
#include <vector>

#include "capture/capture_writer.h"
#include "lab/two_point.h"
#include "oneway/flow_delay.h"
#include "oneway/method.h"

namespace sojourn {

struct TwoPointLook {
  std::uint64_t seed = 1;           ///< of the traffic: another seed gives other packets
  std::uint32_t snap_length = 128;  ///< bytes kept of each frame
  bool vlan = false;                ///< tagged at the last point
};

void record_first_point(const TwoPointTrace& trace, const TwoPointLook& look,
                        CaptureWriter& capture);
void record_last_point(const TwoPointTrace& trace, const TwoPointLook& look,
                       CaptureWriter& capture);

/// As `sojourn oneway` should find it: by the clocks of both points, without duplicates and
/// reference packets.
struct TwoPointTruth {
  std::vector<DelaySample> delays;  ///< in the order of the arrivals; `flow` is that of the trace
  std::vector<FlowDelay> flows;     ///< with at least one packet sent
  std::uint64_t lost = 0;
};
TwoPointTruth truth_of(const TwoPointTrace& trace);

}  // namespace sojourn
