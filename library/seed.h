#pragma once
// Without a given seed a random one is used, because outsiders must not be able to predict the
// hash.

#include <cstdint>
#include <random>

namespace sojourn::v0 {

inline std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace sojourn::v0
