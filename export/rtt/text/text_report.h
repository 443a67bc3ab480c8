#pragma once
// The report for people.

#include <string>

#include "export/rtt/rtt_report.h"
#include "export/screen.h"
#include "export/text_options.h"

namespace sojourn {

/// Fits 80 columns, as far as names of files and groups allow.  Ends in a newline.
std::string text_report(const RttReport& report, const TextOptions& options = {});

/// The same for a screen that is redrawn: the latest columns of a heatmap come first, so that they
/// are visible and move.
std::string live_report(const RttReport& report, const TextOptions& options,
                        const ScreenSize& screen);

}  // namespace sojourn
