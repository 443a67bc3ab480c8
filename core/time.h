#pragma once
// Points in time and lengths of time, both in whole nanoseconds.

#include <chrono>
#include <cstdint>

namespace sojourn {

using Duration = std::chrono::nanoseconds;

/// Nanoseconds since 1970-01-01 UTC without leap seconds, as captures count them.  The range is
/// 1677 to 2262; what lies outside is clamped by the reader that met it, and counted there.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Duration>;

constexpr Timestamp timestamp_from_ns(std::int64_t ns) { return Timestamp{Duration{ns}}; }
constexpr std::int64_t to_ns(Timestamp time) { return time.time_since_epoch().count(); }
constexpr std::int64_t to_ns(Duration duration) { return duration.count(); }

}  // namespace sojourn
