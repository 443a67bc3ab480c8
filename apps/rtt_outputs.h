#pragma once
// The files that `sojourn rtt` writes, and the lines of --every.

#include <chrono>
#include <optional>

#include "apps/rtt_request.h"
#include "core/result.h"
#include "core/time.h"
#include "export/files/output_file.h"
#include "export/rtt/report_intervals.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

/// Opened before the measurement, so that what cannot be written is refused before hours are spent.
struct RttOutputs {
  std::optional<OutputFile> samples, plot, heatmap, html, distribution;
  std::optional<OutputFile> report;  ///< unless standard output belongs to one of the others

  static Result<RttOutputs> open(const RttRequest& request);

  /// Before root's rights are given up.
  Result<void> hold_places();

  /// Writes all that is not written yet.  Whatever fails, the others are written; the first
  /// failure is told.
  Result<void> finish(const RttRequest& request, const RttReport& report);

  /// After the last interval of --every: the report's lines have been written, and samples.
  Result<void> finish_intervals();
};

/// The first begins when the run does; each ends `length` later or, if the machine was busy, when
/// it comes to look.
class RttIntervals {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RttIntervals(Duration length);

  bool due() const { return Clock::now() >= due_; }

  /// The interval ends here, as ReportIntervals says.
  RttReport since_last(RttReport total);

 private:
  Duration length_;
  Clock::time_point due_;
  ReportIntervals reports_;
};

/// Standard output belongs to a table or a picture, and no report is printed.
bool silent(const RttRequest& request);

}  // namespace sojourn
