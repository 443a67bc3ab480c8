#pragma once
// Numbers short enough for the cells of a table that fits 80 columns.

#include <cstdint>
#include <string>

#include "core/time.h"
#include "estimate/distribution/distribution.h"

namespace sojourn {

/// "20.31ms": as format_duration, without the space.
std::string compact(Duration duration);

/// "999 999", and from a million on "12.35 M".
std::string compact_count(std::uint64_t count);

/// "20.31ms ±0.02": the farther end of the interval, in the value's unit, rounded up, so that it is
/// never too optimistic.  "±?" with too few samples to bound the value.
std::string with_margin(Duration value, const Interval& interval, bool unicode);

/// Share in whole percent, but "<1" and ">99" instead of a rounded 0 or 100.
std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace sojourn
