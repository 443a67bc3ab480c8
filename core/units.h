#pragma once
// Numbers with units, in and out: 500ms, 4MiB, 20.3 ms.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace sojourn {

/// "80us", "1.5ms", "2s", "5min", "1h".  A number without a unit is refused.
Result<Duration> parse_duration(std::string_view text);

/// "4096", "64KiB", "4MiB", "1GiB"; also kB, MB, GB in powers of 1000.
Result<std::uint64_t> parse_size(std::string_view text);

/// Four significant digits and a suitable unit: "12 ns", "80.25 us", "20.31 ms", "1.500 s".
std::string format_duration(Duration duration);

/// "512 B", "64 KiB", "1.5 GiB".
std::string format_size(std::uint64_t bytes);

/// "1 234 567": with separated thousands, so that a column of counts is readable.
std::string format_count(std::uint64_t count);

/// "2026-11-15T02:05:40.123456789Z"
std::string format_time(Timestamp time);

}  // namespace sojourn
