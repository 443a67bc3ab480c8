#pragma once
// Integers as the network writes them: most significant byte first, at any alignment.

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sojourn {

template <std::unsigned_integral T>
constexpr T swap_to_network(T value) {
  if constexpr (std::endian::native == std::endian::little) return std::byteswap(value);
  return value;
}

/// Holds network order, converts to and from a host integer: the same struct parses and builds a
/// packet.
template <std::unsigned_integral T>
class BigEndian {
 public:
  constexpr BigEndian() = default;
  constexpr BigEndian(T value)  // implicit: header.length = 40 should read like that
      : bytes_(std::bit_cast<Bytes>(swap_to_network(value))) {}
  constexpr operator T() const { return swap_to_network(std::bit_cast<T>(bytes_)); }

 private:
  using Bytes = std::array<std::byte, sizeof(T)>;
  Bytes bytes_{};
};

using Be16 = BigEndian<std::uint16_t>;
using Be32 = BigEndian<std::uint32_t>;
using Be64 = BigEndian<std::uint64_t>;

/// A header that can be copied to and from a packet's bytes as it is.
template <class T>
concept WireStruct = std::is_trivially_copyable_v<T> && alignof(T) == 1;

/// A big-endian integer at an address whose length the caller has checked.
template <std::unsigned_integral T>
T load_network(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return swap_to_network(value);
}

}  // namespace sojourn
