#pragma once
// The second of the two lookups of section 3.5: the monitored flow of a packet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hash.h"
#include "core/huge_array.h"
#include "oneway/marking/marking_filter.h"
#include "oneway/marking/marking_shapes.h"
#include "wire/ip_packet.h"
#include "wire/marking_carrier.h"

namespace sojourn {

/// Filters on the same bits share one hash lookup, so the cost grows with the number of such shapes
/// (at most 16 for each IP version), not with the number of flows.  If several filters match, the
/// one with the most bits wins; if equal, the earlier.
///
/// Flows are distinguished by a keyed 64-bit hash of those bits (docs/decisions/0002).
class MarkingFlows {
 public:
  static constexpr std::size_t max_batch = 256;
  static constexpr std::uint32_t no_flow = 0xffffffff;

  /// Flow numbers are positions in `filters`.
  static Result<MarkingFlows> make(std::span<const MarkingFilter> filters,
                                   const MarkingCarrier& carrier, std::uint64_t seed);

  /// Writes the flow number of each packet, or no_flow.
  void classify(std::span<const IpPacket> batch, std::span<std::uint32_t> flows) const;

  std::size_t size() const { return flows_; }
  std::size_t memory_bytes() const { return slots_.memory_bytes(); }

 private:
  struct Shape : MarkingShape {
    std::uint64_t number = 0;  ///< part of the hash, distinct also from the other IP version's
  };
  struct Slot {
    std::uint64_t tag;
    std::uint32_t flow_plus_one;  ///< 0: free
    std::uint32_t unused;
  };

  MarkingFlows(const MarkingCarrier& carrier, std::uint64_t seed)
      : key_(HashKey::from_seed(seed)), carrier_(carrier) {}
  inline std::uint64_t tag_of(const Shape& shape, const IpPacket& packet) const;
  inline std::uint64_t mix(const Shape& shape, const std::array<std::uint64_t, 4>& addresses,
                           std::uint64_t rest) const;
  inline std::uint32_t find(std::uint64_t tag) const;
  void insert(std::uint64_t tag, std::uint32_t flow);

  HashKey key_;
  MarkingCarrier carrier_;
  bool uses_flow_id_ = false;
  std::vector<Shape> shapes_;  ///< most bits first
  HugeArray<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t flows_ = 0;
};

}  // namespace sojourn
