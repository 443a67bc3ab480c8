#pragma once
// The reports of the lab as JSON documents.

#include <span>
#include <string>

#include "experiments/capture/compare.h"
#include "experiments/capture/tune.h"
#include "export/lab/lab_page.h"

namespace sojourn {

/// One document with a newline at its end: seed, quick, experiments with claims and tables, missed.
std::string lab_json(std::span<const LabResult> results, const LabSetting& setting);

/// `sojourn lab compare`: the capture, its exact quantiles, and a row per memory and table.
std::string comparison_json(const Comparison& comparison, const CaptureTrial& trial,
                            const CompareOptions& options, std::span<const std::string> captures);

/// `sojourn lab tune`: the target, the table that meets it, and what was tried.
std::string tuning_json(const Tuning& tuning, const CaptureTrial& trial, const TuneOptions& options,
                        std::span<const std::string> captures);

}  // namespace sojourn
