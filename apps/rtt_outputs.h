#pragma once
// The files that `sojourn rtt` writes.

#include <optional>

#include "apps/rtt_request.h"
#include "core/result.h"
#include "export/files/output_file.h"
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
};

/// Standard output belongs to a table or a picture, and no report is printed.
bool silent(const RttRequest& request);

}  // namespace sojourn
