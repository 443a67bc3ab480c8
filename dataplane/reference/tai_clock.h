#pragma once
// The clock of programs in the kernel that stamp packets, and that of captures.

#include <sys/timex.h>

#include "core/time.h"

namespace sojourn {

/// From CLOCK_TAI, which programs can read, to UTC, which captures and reference packets carry:
/// minus the leap seconds, or 0 if nobody has told the kernel how many there were.
inline Duration tai_to_captures() {
  timex state{};
  ::adjtimex(&state);
  return -std::chrono::seconds{state.tai};
}

}  // namespace sojourn
