#pragma once
// `sojourn lab compare` and `sojourn lab tune` for people: tables judged on the user's capture.

#include <span>
#include <string>

#include "experiments/capture/compare.h"
#include "experiments/capture/tune.h"

namespace sojourn {

/// The content of the capture, in one to three lines.
std::string trial_text(const CaptureTrial& trial);

/// The capture, the table of `sojourn lab compare`, and the files that were written.
std::string comparison_text(const LabReport& report, const CaptureTrial& trial,
                            std::span<const std::string> files);

/// What was tried, and the command line that measures with the best result.  `capture` is the file
/// name in that command line.
std::string tuning_text(const Tuning& tuning, const CaptureTrial& trial, const TuneOptions& options,
                        const std::string& capture);

}  // namespace sojourn
