#pragma once
// Duplicate packets: copied on the path, or sent twice.

#include <cstddef>
#include <cstdint>

#include "core/hash.h"
#include "core/huge_array.h"
#include "core/time.h"
#include "oneway/label.h"

namespace sojourn {

/// Remembers the identities of the last packets, at most 65 536: a copy follows its original within
/// milliseconds.  Marks do not matter (oneway/label.h).
class RepeatedPackets {
 public:
  explicit RepeatedPackets(std::uint64_t seed) : key_(HashKey::from_seed(seed)), seen_(slots) {}

  /// Whether the same packet was seen within `near` before.
  bool repeats(const IpPacket& packet) {
    const std::uint64_t identity =
        identity_of(packet, InvariantBytes{packet, LabelOptions{}}, key_) | 1;
    Seen& slot = seen_[identity >> 48];
    const bool again = slot.identity == identity && difference(packet.time, slot.time) <= near;
    slot = {identity, packet.time};
    return again;
  }
  std::size_t memory_bytes() const { return seen_.memory_bytes(); }

 private:
  static constexpr std::size_t slots = std::size_t{1} << 16;
  static constexpr Duration near = std::chrono::milliseconds{100};
  struct Seen {
    std::uint64_t identity;
    Timestamp time;
  };

  HashKey key_;
  HugeArray<Seen> seen_;
};

}  // namespace sojourn
