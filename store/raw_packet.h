#pragma once
// A selected packet that a point has reported by its label: an end packet of a flow record.

#include <cstdint>

#include "core/address.h"
#include "core/flow_tag.h"
#include "core/time.h"

namespace sojourn {

/// The fields that a join needs.  A repeated packet has the same (point, instance, report,
/// position, is_last), whichever collector received it.
struct RawPacket {
  std::uint32_t point = 0;  ///< StoreWrite::subjects
  std::uint64_t instance = 0, report = 0;
  std::uint32_t position = 0;  ///< of the record in the report
  bool is_last = false;
  std::uint32_t label = 0;
  std::uint64_t flow = 0;       ///< hash of the flow's key, the same in every collector
  std::uint64_t selection = 0;  ///< hash of how the point selects, the same in every collector
  Timestamp time{};
  std::uint64_t packets = 0;  ///< of the record
  IpAddress prefix;           ///< of the destination
  std::uint8_t prefix_length = 0;
};

}  // namespace sojourn
