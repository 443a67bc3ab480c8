#pragma once
// A point between the first and the last: what it counted of marked packets.

#include <memory>

#include "capture/source.h"
#include "core/result.h"
#include "oneway/marking/marking_monitor.h"

namespace sojourn {

/// All packets of the source.  An error of `source` is handed on.
Result<PointRecords> read_marking_hop(const MarkingSetup& setup,
                                      Result<std::unique_ptr<Source>> source);

}  // namespace sojourn
