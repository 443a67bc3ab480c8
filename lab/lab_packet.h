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

/// When the far side has the packet; nullopt if it was lost.
using Arrival = std::optional<std::int64_t>;

}  // namespace sojourn
