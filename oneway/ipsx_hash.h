#pragma once
// IP Shift-XOR, the cheap hash for packet selection.

#include <cstdint>

namespace sojourn {

/// The four words that IPSX reads of a packet, RFC 5475 appendix A.1 ("Input Selection").
struct IpsxInput {
  std::uint32_t f1 = 0;  ///< bits 32 to 63 of the IP header: identification, flags, fragment offset
  std::uint32_t f2 = 0;  ///< bits 96 to 127: source address
  std::uint32_t f3 = 0;  ///< bits 128 to 159: destination address
  std::uint32_t f4 = 0;  ///< bits 32 to 63 of the IP payload: TCP's sequence number, UDP's length
};

/// RFC 5475 appendix A.1, "Hash Computation", steps 1 to 10.  The output is the lower 16 bits.
/// Weak: similar packets have similar hashes, and there is no secret.
constexpr std::uint16_t ipsx_hash(const IpsxInput& input) {
  const std::uint32_t v1 = input.f1 ^ input.f2;
  const std::uint32_t v2 = input.f3 ^ input.f4;
  std::uint32_t h1 = v1 << 8;
  h1 ^= v1 >> 4;
  h1 ^= v1 >> 12;
  h1 ^= v1 >> 16;
  h1 ^= v2 << 6;
  h1 ^= v2 << 10;
  h1 ^= v2 << 14;
  h1 ^= v2 >> 7;
  return static_cast<std::uint16_t>(h1);
}

}  // namespace sojourn
