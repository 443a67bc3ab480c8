#pragma once
// SHA-256 (FIPS 180-4), for the few bytes of a secret.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sojourn {

std::array<std::uint8_t, 32> sha256(std::span<const std::byte> bytes);

}  // namespace sojourn
