#pragma once
// All reports of a run as one page for the browser.

#include <span>
#include <string>

#include "experiments/report/experiment.h"

namespace sojourn {

/// An experiment that was run, and how long that took.
struct LabResult {
  const Experiment* experiment = nullptr;
  LabReport report;
  double seconds = 0;
};

/// Self-contained HTML: verdicts first, then each experiment's claims, figures and tables.  It
/// loads nothing, so it can be mailed and opened years later.
std::string lab_page(std::span<const LabResult> results, const LabSetting& setting);

}  // namespace sojourn
