#pragma once
// What the fixed-memory tables derive from a key: slot, fingerprint and coins.

#include <cstddef>
#include <cstdint>

#include "core/hash.h"

namespace sojourn {

/// A key is a keyed hash already: without the seed, all its bits look uniform.  Its
/// upper half chooses the slot and its lower half is the fingerprint that the slot stores, so two
/// keys in one slot are still told apart by 32 independent bits.
///
/// Coins come from a further mix of the key.  They must not be random draws: a request that is
/// sent again (a retransmitted SYN, a DNS retry) has to meet the decision that its first copy met,
/// or copies enter whose first transmission stayed outside, and their delays are too short.
struct KeyParts {
  /// Multiply-shift (Lemire 2019) instead of a power of two: any number of slots below 2^32.
  static constexpr std::size_t slot(std::uint64_t key, std::size_t slots) {
    return static_cast<std::size_t>(((key >> 32) * slots) >> 32);
  }
  static constexpr std::uint32_t fingerprint(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
  }
  /// 64 fresh bits.  A probability is compared with one half of them, never with bits of the key.
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
