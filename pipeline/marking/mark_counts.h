#pragma once
// Converts between the engine's marking records and the plain values that are sent and stored.

#include <string>
#include <vector>

#include "core/result.h"
#include "oneway/marking/marking_monitor.h"
#include "pipeline/marking/marking_file.h"
#include "pipeline/marking/marking_reader.h"
#include "store/marks/mark_count.h"

namespace sojourn {

/// One for the interval, and one for each flow that had packets.
std::vector<MarkCount> counts_of(const MarkingSetup& setup, const MarkingReport& report);

/// The same file that the point's own lines would give.  The error says in what the runs differ:
/// only equal runs can be joined.
Result<MarkingPointFile> marking_file_of(const std::string& point,
                                         const std::vector<PointMarks>& runs);

}  // namespace sojourn
