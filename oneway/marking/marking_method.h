#pragma once
// Method "marking": two captures of traffic that was marked before the first of them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/marking/marking_multipoint.h"
#include "oneway/method.h"

namespace sojourn {

/// Reads the marks at both points and returns the result of collect(): the flows' totals over valid
/// intervals, a table of all intervals, and per-hop results if points between are known.
///
/// `packets` and `lost` of a flow cover only intervals with a given loss, its delays only valid
/// pulses.  `via` names points between, in the order of the path; `read_point` is called for their
/// records at the end.  With `segments` the points form a network instead of a row, and the losses
/// of its clusters are given instead.
Result<std::unique_ptr<OnewayMethod>> make_marking(
    const MarkingSetup& setup, Duration clock_error, std::vector<std::string> via = {},
    std::function<Result<PointRecords>(const std::string&)> read_point = {},
    std::vector<PathSegment> segments = {});

}  // namespace sojourn
