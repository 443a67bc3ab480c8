#pragma once
// What the user should know about a capture after it has been read.

#include <string>
#include <vector>

#include "capture/source.h"

namespace sojourn {

/// The source's own warnings, and one line for each way in which its times are implausible.  The
/// latter begin with `name`, if it is not empty; the former name their origin themselves.
std::vector<std::string> all_warnings(const Source& source, const std::string& name = {});

/// Only the latter.  Steps back by less than a second, in fewer than one packet in four, are normal
/// where several queues of a card are captured, and give no warning.
std::vector<std::string> time_warnings(const SourceCounters& counters);

}  // namespace sojourn
