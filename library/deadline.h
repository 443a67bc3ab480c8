#pragma once
// When a time that begins now is over.

#include <chrono>
#include <cstdint>

namespace sojourn::v0 {

/// The end of time if it is later than the clock can tell.
inline std::chrono::steady_clock::time_point deadline_after(std::int64_t duration_ns) {
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  const std::chrono::nanoseconds wished{duration_ns}, most = Clock::time_point::max() - now;
  return wished < most ? now + wished : Clock::time_point::max();
}

}  // namespace sojourn::v0
