#pragma once
// The report as one HTML file, to be sent to a colleague.

#include <string>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// One file without external parts or scripts: which leg, the figures of each kind and leg, their
/// distributions, delay over time, groups, signs of loss, verdicts, and what could not be measured.
/// For light and dark screens, phones and paper.  Its size is bounded by RttReport::top groups and
/// slices, not by the capture.
std::string html_report(const RttReport& report);

}  // namespace sojourn
