#pragma once
// What `sojourn oneway` writes, whether it measured on packets or on flow records.

#include <optional>

#include "apps/oneway_request.h"
#include "core/result.h"
#include "export/files/output_file.h"
#include "export/files/run_files.h"
#include "export/oneway/oneway_report.h"

namespace sojourn {

/// All but what only the captures know.
OnewayReport report_of(const OnewayRequest& request, const OnewayMeasurement& measured);

/// The captures or records of all its points.
RunFiles inputs_of(const OnewayRequest& request);

/// Opened before the measurement, so that what cannot be written is refused before.
struct OnewayOutputs {
  std::optional<OutputFile> samples, flows, plot;
  std::optional<OutputFile> report;  ///< unless standard output belongs to one of the others

  /// `files` knows the inputs.
  static Result<OnewayOutputs> open(const OnewayRequest& request, RunFiles files);

  /// Writes all but the samples.  Whatever fails, the others are written; the first failure is
  /// told.
  Result<void> finish(const OnewayRequest& request, const OnewayReport& report);
};

}  // namespace sojourn
