#pragma once
// What this process asks the system about time and about itself.

#include <cstdint>

#include "core/time.h"

namespace sojourn {

/// The time of day.
Timestamp wall_clock();
/// Processor time that the calling thread has used.
Duration thread_time();
/// Memory of this process that is resident; 0 if /proc cannot be read.
std::uint64_t resident_bytes();

}  // namespace sojourn
