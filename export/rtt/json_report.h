#pragma once
// The report for programs.

#include <string>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// One JSON document with a newline at its end.  Times and delays are integers in nanoseconds;
/// unknown values are null.  docs/design describes each key.
std::string json_report(const RttReport& report);

/// The same in a single line, for a stream of them.
std::string json_line(const RttReport& report);

}  // namespace sojourn
