#pragma once
// Shares with their intervals, short enough for a table.

#include <string>

#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

/// "1.25%", "0.004%", "0%".
std::string percent_text(double share);

/// "1.2% (0.9-1.7)": the interval in percent; "(?)" with too few flows.  Not as a margin: near 0
/// the two sides differ greatly.
std::string share_cell(const ShareEstimate& share);

/// "1.25 % (0.9 % to 1.7 %)", for a sentence.
std::string share_sentence(const ShareEstimate& share);

}  // namespace sojourn
