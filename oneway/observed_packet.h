#pragma once
// The fields of a packet that the methods need.

#include <cstdint>

#include "core/flow_key.h"
#include "core/time.h"

namespace sojourn {

struct ObservedPacket {
  FlowKey key;
  std::uint64_t flow = 0;  ///< a good hash of `key`, the same for every packet of the flow
  Timestamp time{};
  std::uint32_t bytes = 0;     ///< length of the IP packet
  std::uint32_t label = 0;     ///< hash of the invariant bytes; equal at every point
  std::uint8_t tcp_flags = 0;  ///< 0 for other protocols
};

}  // namespace sojourn
