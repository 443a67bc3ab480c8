#pragma once
// The end of a period that begins now.

#include <chrono>
#include <cstdint>

namespace sojourn::v0 {

/// The latest representable time if the end is beyond the clock's range.
inline std::chrono::steady_clock::time_point deadline_after(std::int64_t duration_ns) {
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  const std::chrono::nanoseconds wished{duration_ns}, most = Clock::time_point::max() - now;
  return wished < most ? now + wished : Clock::time_point::max();
}

}  // namespace sojourn::v0
