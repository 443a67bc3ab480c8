#pragma once
// What the user asked `sojourn mark` to do.

#include <string>

#include "oneway/marking/marking_monitor.h"

namespace sojourn {

struct MarkRequest {
  std::string input, output;  ///< captures; "-" for standard input and output
  MarkingSetup setup;
  bool force = false;    ///< overwrite what the carrier's field meant
  bool restore = false;  ///< take marks away instead, as the terminating point does
};

/// Does what was asked and gives the exit status.
int run_mark(const MarkRequest& request);

}  // namespace sojourn
