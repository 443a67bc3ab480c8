#pragma once
// A report of the lab as text for the terminal.

#include <span>
#include <string>
#include <string_view>

#include "experiments/report/experiment.h"
#include "export/lab/lab_page.h"

namespace sojourn {

/// Claims with their verdicts, then every table, aligned.
std::string lab_text(const Experiment& experiment, const LabReport& report);

/// The same, the files that were written for it, and how long it took.
std::string lab_text(const LabResult& result, std::span<const std::string> files);
/// "3 of 40 claims missed"
std::string lab_verdict(std::span<const LabResult> results);
/// A line for each file, behind `indent`.
std::string files_written(std::span<const std::string> files, std::string_view indent = "");

/// One table, aligned, with its title.
std::string table_text(const ResultTable& table);

/// The list that `sojourn lab` prints.
std::string lab_list(std::span<const Experiment> all);

}  // namespace sojourn
