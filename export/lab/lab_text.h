#pragma once
// A report of the lab as text for the terminal, and its tables as CSV.

#include <string>

#include "experiments/report/experiment.h"

namespace sojourn {

/// Claims with their verdicts, then every table, aligned.
std::string lab_text(const Experiment& experiment, const LabReport& report);

/// One table, aligned, with its title.
std::string table_text(const ResultTable& table);

/// The list that `sojourn lab` prints.
std::string lab_list(std::span<const Experiment> all);

/// Header line first; cells with a comma or a quote are quoted (RFC 4180).
std::string lab_csv(const ResultTable& table);

}  // namespace sojourn
