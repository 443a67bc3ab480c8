#pragma once
// The files of `sojourn rtt --save-distribution` and `--expect`.

#include <string>

#include "core/result.h"
#include "estimate/expectation.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

/// What --save-distribution wrote; the error names the file.
Result<Expectation> load_expectation(const std::string& path);

std::string distribution_text(const RttReport& report);

}  // namespace sojourn
