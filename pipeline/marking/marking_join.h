#pragma once
// Joins the records of live marking points into one measurement.

#include <optional>
#include <vector>

#include "core/result.h"
#include "pipeline/marking/marking_file.h"
#include "pipeline/oneway/oneway_run.h"

namespace sojourn {

struct MarkingMeasurement {
  OnewayMeasurement measured;
  std::optional<Duration> clock_error;  ///< from `setup` if given, otherwise from the points

  /// No point has counted a packet.
  bool empty() const { return measured.result.tables.front().rows.empty(); }
};

/// Joins the records of two or more points, in the order of the path: intervals from the first to
/// the last, and from point to point; with `setup.segments` clusters instead.  The error says in
/// what the points differ.
Result<MarkingMeasurement> measure_marking_points(const std::vector<MarkingPointFile>& files,
                                                  const OnewaySetup& setup);

}  // namespace sojourn
