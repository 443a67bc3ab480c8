#pragma once
// Keyed hashing.  An attacker without the key cannot cause hash collisions on purpose (STAGED,
// section "Security"), and two runs with the same key give identical hashes.

#include <array>
#include <cstdint>

namespace sojourn {

/// The full 128-bit product of two words, folded to 64 bits by exclusive or.  The building block
/// of wyhash and its kin: one multiplication, and every output bit depends on every input bit.
constexpr std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__x86_64__)
  // g++ 12 keeps the halves of a wide product in memory before it joins them.
  if !consteval {
    std::uint64_t low = a, high = 0;
    asm("mulq %2" : "+a"(low), "=d"(high) : "rm"(b) : "cc");
    return low ^ high;
  }
#endif
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// One step of splitmix64 (Steele, Lea, Flood 2014): spreads a small seed over many words.
constexpr std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The secret words of a keyed hash, all derived from one seed.
struct HashKey {
  std::array<std::uint64_t, 4> secret;

  static constexpr HashKey from_seed(std::uint64_t seed) {
    HashKey key{};
    // Odd words: a zero or highly composite secret would let inputs cancel in the product.
    for (auto& word : key.secret) word = split_mix(seed) | 1u;
    return key;
  }
};

/// Hash of two words.  Two rounds, so that inputs that differ only in a counter field change all
/// output bits alike.  The low half of a single round is linear modulo 2^64.
constexpr std::uint64_t keyed_hash(const HashKey& key, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t inner = fold_multiply(a ^ key.secret[0], b ^ key.secret[1]);
  return fold_multiply(inner ^ key.secret[2], key.secret[3]);
}

}  // namespace sojourn
