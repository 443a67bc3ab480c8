#pragma once
// Points in time and lengths of time, both in whole nanoseconds.

#include <chrono>
#include <cstdint>
#include <limits>

namespace sojourn {

using Duration = std::chrono::nanoseconds;

/// Nanoseconds since 1970-01-01 UTC without leap seconds, as captures count them.  The range is
/// 1677 to 2262; readers clamp and count timestamps outside it.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Duration>;

constexpr Timestamp timestamp_from_ns(std::int64_t ns) { return Timestamp{Duration{ns}}; }
constexpr std::int64_t to_ns(Timestamp time) { return time.time_since_epoch().count(); }
constexpr std::int64_t to_ns(Duration duration) { return duration.count(); }

/// later - earlier in nanoseconds, saturating: captures may hold wrong times, and the difference of
/// two clamped timestamps may overflow.
constexpr std::int64_t difference_ns(std::int64_t later_ns, std::int64_t earlier_ns) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(later_ns, earlier_ns, &result)) [[likely]]
    return result;
  return later_ns < earlier_ns ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
}
constexpr Duration difference(Timestamp later, Timestamp earlier) {
  return Duration{difference_ns(to_ns(later), to_ns(earlier))};
}

}  // namespace sojourn
