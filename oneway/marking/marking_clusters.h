#pragma once
// Loss of each cluster of a network, from the counters of its points (RFC 9342).

#include <span>
#include <string>
#include <vector>

#include "core/result_table.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/marking/marking_multipoint.h"

namespace sojourn {

/// A table of the clusters over their valid intervals, and one of every interval of each.
///
/// `points` are the first, those between in their order, and the last.  An interval counts only if
/// all points of the cluster observed all of it.  Only loss: pulses of different paths do not pair.
std::vector<ResultTable> cluster_tables(const MarkingSetup& setup, Duration clock_error,
                                        std::span<const PointRecords* const> points,
                                        std::span<const PathSegment> segments);

}  // namespace sojourn
