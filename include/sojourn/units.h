#pragma once
// Numbers with units, as people write them.

#include <sojourn/result.h>

#include <cstdint>
#include <string_view>

namespace sojourn::v0 {

/// "80us", "1.5ms", "2s", "5min", "1h" in nanoseconds.  A number without a unit is refused.
SOJOURN_API Result<std::int64_t> parse_duration_ns(std::string_view text);

/// "4096", "64KiB", "4MiB", "1GiB"; also kB, MB, GB in powers of 1000.
SOJOURN_API Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace sojourn::v0
