#pragma once
// What marking did to a capture, in a few lines.

#include <string>

#include "pipeline/marking/marker.h"

namespace sojourn {

/// `output` is the file that was written.
std::string mark_text(const std::string& output, const MarkerOptions& options,
                      const MarkCounters& counters);

}  // namespace sojourn
