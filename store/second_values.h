#pragma once
// Times and kinds in the form that stores use.

#include <chrono>
#include <cstdint>

#include "core/time.h"

namespace sojourn {

constexpr std::int64_t seconds_of(Timestamp time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}
constexpr Timestamp at_second(std::int64_t seconds) {
  return Timestamp{std::chrono::seconds{seconds}};
}
constexpr std::int64_t kind_number(std::uint8_t measure, std::uint8_t leg) {
  return measure * 256 + leg;
}

}  // namespace sojourn
