#pragma once
// From the records of points to a user's view: flows, intervals, hops, and remarks.

#include <span>
#include <string>

#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/method.h"

namespace sojourn {

/// A point between the first and the last.
struct MarkingHop {
  std::string name;
  PointRecords records;
};

/// The flows' totals over valid intervals, a table of all intervals, and one from point to point if
/// there are any between; `hops` in the order of the path.
OnewayResult summarise_marking(const MarkingSetup& setup, const MarkJudgeOptions& options,
                               const PointRecords& one, const PointRecords& other,
                               std::span<const MarkingHop> hops);
/// It has intervals, but no figure for any of them.
bool nothing_is_valid(const OnewayResult& summary);

}  // namespace sojourn
