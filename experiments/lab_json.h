#pragma once
// All reports of a run as one JSON document.

#include <span>
#include <string>

#include "experiments/lab_page.h"

namespace sojourn {

/// One document with a newline at its end: seed, quick, experiments with claims and tables, missed.
std::string lab_json(std::span<const LabResult> results, const LabSetting& setting);

}  // namespace sojourn
