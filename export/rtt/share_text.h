#pragma once
// Shares with their intervals, short enough for a table.

#include <string>

#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

/// "1.25%", "0.004%", "0%".
std::string percent_text(double share);

/// "1.2% ±0.3": the farther end of the interval, in percent; "±?" with too few flows.
std::string share_cell(const ShareEstimate& share, bool unicode);

/// "1.25 % (0.9 % to 1.7 %)", for a sentence.
std::string share_sentence(const ShareEstimate& share);

}  // namespace sojourn
