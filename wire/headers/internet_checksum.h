#pragma once
// The Internet checksum (RFC 1071), and how it changes when one word of the data does.

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

/// Sum of 16-bit words, not yet folded, so that parts (a pseudo-header) can be added; an odd last
/// byte counts as the upper half of a word.
inline std::uint32_t word_sum(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    sum += load_network<std::uint16_t>(&bytes[i]);
  if (bytes.size() % 2 == 1) sum += std::to_integer<std::uint32_t>(bytes.back()) << 8;
  return sum;
}
constexpr std::uint16_t checksum_of_sum(std::uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffffu) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

/// The checksum of whole bytes.  Over a header that holds its correct checksum the result is 0.
inline std::uint16_t internet_checksum(std::span<const std::byte> bytes) {
  return checksum_of_sum(word_sum(bytes));
}

/// RFC 1624 equation 3, HC' = ~(~HC + ~m + m').  A wrong checksum keeps its error.  So marking
/// neither hides a damaged packet nor corrupts one whose checksum is offloaded.
constexpr std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t before,
                                         std::uint16_t after) {
  std::uint32_t sum = static_cast<std::uint16_t>(~checksum);
  sum += static_cast<std::uint16_t>(~before);
  sum += after;
  sum = (sum & 0xffffu) + (sum >> 16);
  sum = (sum & 0xffffu) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace sojourn
