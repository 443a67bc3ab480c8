#pragma once
// What the kernel knows about this machine's clock.

#include "collector/report/point_report.h"

namespace sojourn {

/// From adjtimex(2).  If that fails: not synchronised.
ClockState read_clock_state();

}  // namespace sojourn
