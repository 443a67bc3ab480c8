#pragma once
// What the kernel handed over, in the words of the rest of the program.

#include "core/sample.h"
#include "core/time.h"
#include "dataplane/kernel/abi.h"

namespace sojourn {

/// `clock_offset` leads from the program's clock to that of captures; 0 in a replay.
Sample describe(const dp_sample& found, double weight, Duration clock_offset);

inline bool is_ambiguous(const dp_sample& found) { return (found.flags & DP_AMBIGUOUS) != 0; }

}  // namespace sojourn
