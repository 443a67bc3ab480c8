#pragma once
// Integers in the byte order of the capture's writer.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace sojourn {

/// `swapped` says that the writer's byte order is not ours.
template <std::unsigned_integral Integer>
Integer load(const std::byte* at, bool swapped) {
  Integer value;
  std::memcpy(&value, at, sizeof value);
  return swapped ? std::byteswap(value) : value;
}

}  // namespace sojourn
