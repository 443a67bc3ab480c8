#pragma once
// `sojourn lab compare` and `sojourn lab tune` for people: tables judged on a capture of their own.

#include <string>

#include "experiments/capture/compare.h"
#include "experiments/capture/tune.h"

namespace sojourn {

/// What the capture holds, in one to three lines.
std::string trial_text(const CaptureTrial& trial);

/// What was tried, and the command line that measures with the best of it.  `capture` is what that
/// command line names.
std::string tuning_text(const Tuning& tuning, const CaptureTrial& trial, const TuneOptions& options,
                        const std::string& capture);

}  // namespace sojourn
