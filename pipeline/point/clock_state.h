#pragma once
// What the kernel thinks of this machine's clock.

#include "collector/report/point_report.h"

namespace sojourn {

/// adjtimex(2).  Without an answer: not synchronised.
ClockState read_clock_state();

}  // namespace sojourn
