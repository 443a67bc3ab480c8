#pragma once
// Which bits of a packet identify a monitored flow, and their values.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/address.h"
#include "core/result.h"
#include "oneway/marking/marking_filter.h"
#include "wire/marking_carrier.h"

namespace sojourn {

/// Addresses as 64-bit words in network order (IPv4: one, source and destination), then ports,
/// protocol and flow identifier in one.
struct MarkingBits {
  std::array<std::uint64_t, 4> addresses{};
  std::uint64_t rest = 0;

  friend bool operator==(const MarkingBits&, const MarkingBits&) = default;
};

/// The last word: 16, 16, 8 and 20 bits; the top four are free.
constexpr std::uint64_t marking_rest(std::uint64_t source_port, std::uint64_t destination_port,
                                     std::uint64_t protocol, std::uint64_t flow_id) {
  return source_port << 44 | destination_port << 28 | protocol << 20 | flow_id;
}

/// A filter for one IP version: a packet belongs to the flow if its bits under the mask equal
/// `value`.
struct MarkingMatch {
  MarkingBits mask;
  MarkingBits value;
  bool is_ipv6 = false;
  std::uint32_t flow = 0;  ///< position of the filter
};

/// In the order of the filters, one or two each.
Result<std::vector<MarkingMatch>> marking_matches(std::span<const MarkingFilter> filters,
                                                  const MarkingCarrier& carrier);

/// Bits that some filters have in common.
struct MarkingShape {
  MarkingBits mask;
  bool is_ipv6 = false;

  friend bool operator==(const MarkingShape&, const MarkingShape&) = default;
};
inline constexpr std::size_t most_marking_shapes = 16;  ///< of each IP version

/// Of all matches, those with the most bits first.
Result<std::vector<MarkingShape>> marking_shapes(std::span<const MarkingMatch> matches);

}  // namespace sojourn
