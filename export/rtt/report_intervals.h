#pragma once
// Reports of intervals, computed from reports that count from the start of the run.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

/// Intervals follow each other without a gap; the first begins at `start`.
class ReportIntervals {
 public:
  explicit ReportIntervals(Timestamp start) : start_(start) {}

  /// The interval ends at `end`, or where it began if the clock stepped back.  The counts of
  /// `total`, which are from the start of the run, are reduced to those since the last call; its
  /// measurement and losses are left to the caller.
  RttReport since_last(RttReport total, Timestamp end);

 private:
  Timestamp start_;
  std::uint64_t number_ = 0;
  InputSummary input_;
  std::vector<NamedCount> table_;
  std::optional<EngineSummary> engine_;
};

}  // namespace sojourn
