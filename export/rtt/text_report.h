#pragma once
// The report for people.

#include <string>

#include "export/rtt/rtt_report.h"
#include "export/text_options.h"

namespace sojourn {

/// Fits 80 columns, as far as names of files and groups allow.  Ends in a newline.
std::string text_report(const RttReport& report, const TextOptions& options = {});

}  // namespace sojourn
