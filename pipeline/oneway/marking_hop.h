#pragma once
// A point between the first and the last: its counts of marked packets.

#include <memory>

#include "capture/source.h"
#include "core/result.h"
#include "oneway/marking/marking_monitor.h"

namespace sojourn {

/// All packets of the source.  An error of `source` is passed on.
Result<PointRecords> read_marking_hop(const MarkingSetup& setup,
                                      Result<std::unique_ptr<Source>> source);

}  // namespace sojourn
