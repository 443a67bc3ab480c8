#pragma once
// What the fixed-memory tables derive from a key: slot, fingerprint and random decisions.

#include <cstddef>
#include <cstdint>

#include "core/hash.h"

namespace sojourn {

/// A key is already a keyed hash: without the seed, all its bits look uniform.  Its upper half
/// selects the slot and its lower half is the fingerprint stored there, so 32 independent bits
/// still distinguish two keys in one slot.
///
/// Coins (random decisions) come from a further mix of the key.  They must not be independent
/// draws: a request that is sent again (a retransmitted SYN, a DNS retry) needs the same decision
/// as its first copy.  Otherwise copies would be admitted whose first transmission was not, and
/// their delays would be too short.
struct KeyParts {
  /// Multiply-shift (Lemire 2019) instead of a power of two: any number of slots below 2^32.
  static constexpr std::size_t slot(std::uint64_t key, std::size_t slots) {
    return static_cast<std::size_t>(((key >> 32) * slots) >> 32);
  }
  static constexpr std::uint32_t fingerprint(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
  }
  /// 64 new bits.  Probabilities are compared with one half of them, never with bits of the key.
  static constexpr std::uint64_t coins(std::uint64_t key) {
    return fold_multiply(key ^ 0x8bb84b93962eacc9u, 0x2d358dccaa6c78a5u);
  }
};

/// How many slots of `slot_bytes` fit; at least `least`, and few enough for KeyParts::slot.
constexpr std::size_t slots_in(std::size_t memory_bytes, std::size_t slot_bytes,
                               std::size_t least) {
  const std::size_t fitting = memory_bytes / slot_bytes;
  const std::size_t most = (std::size_t{1} << 32) - 1;
  return fitting < least ? least : fitting > most ? most : fitting;
}

}  // namespace sojourn
