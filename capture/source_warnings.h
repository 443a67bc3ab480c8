#pragma once
// What the user should know of a capture once it has been read.

#include <string>
#include <vector>

#include "capture/source.h"

namespace sojourn {

/// The source's own warnings, and one line for each way in which its times cannot be right.
/// The latter begin with `name`, if it is not empty; the former say where they come from.
std::vector<std::string> all_warnings(const Source& source, const std::string& name = {});

/// Only the latter.  Packets that go back by less than a second, and are fewer than one in four,
/// are usual where several queues of a card are captured, and not worth a warning.
std::vector<std::string> time_warnings(const SourceCounters& counters);

}  // namespace sojourn
