#pragma once
// A packet of the lab without its bytes: enough for queues and estimators.

#include <cstdint>
#include <optional>

namespace sojourn {

/// In the order of sending; times are nanoseconds from the start of the trace.
struct LabPacket {
  std::uint32_t flow = 0;
  std::uint32_t bytes = 0;  ///< of the IP packet
  std::int64_t sent_ns = 0;
};

/// The arrival time at the far side; nullopt if the packet was lost.
using Arrival = std::optional<std::int64_t>;

}  // namespace sojourn
