#pragma once
// The files of `sojourn rtt --save-distribution` and `--expect`.

#include <optional>
#include <string>

#include "apps/rtt_request.h"
#include "core/result.h"
#include "estimate/expectation.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

/// What --save-distribution wrote; the error names the file.
Result<Expectation> load_expectation(const std::string& path);

/// Can groups be compared as the request wants it?
Result<void> check_groups(const RttRequest& request, const std::optional<Expectation>& expected);

std::string distribution_text(const RttReport& report);

}  // namespace sojourn
