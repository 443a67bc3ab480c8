#pragma once
// The lab's tables as CSV.

#include <string>

#include "core/result_table.h"

namespace sojourn {

/// Values, not the texts for people: 65536 for "64 KiB", an empty cell for what is not known.  A
/// column COLUMN with values beside a paper's becomes two, the other named "COLUMN (paper)". Header
/// line first; cells with a comma or a quote are quoted (RFC 4180).
std::string lab_csv(const ResultTable& table);

}  // namespace sojourn
