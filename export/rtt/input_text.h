#pragma once
// Losses of the input, in words that all reports share.

#include <string>
#include <string_view>
#include <vector>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// Packets that the kernel dropped before they could be read; empty if it dropped none.
std::string drops_text(const InputSummary& input);

/// Where the exact table had to stop, and what helps; empty if it did not.
std::string stopped_text(const InputSummary& input);

/// Those of these two that are not empty.
std::vector<std::string> input_losses(const InputSummary& input);

std::string_view name_of(Missed missed);

}  // namespace sojourn
