#pragma once
// What the user asked `sojourn mark` to do.

#include <string>

#include "pipeline/marking/marker.h"

namespace sojourn {

struct MarkRequest {
  std::string input, output;  ///< captures; "-" for standard input and output
  MarkerOptions options;
};

/// Does what was asked and gives the exit status.
int run_mark(const MarkRequest& request);

}  // namespace sojourn
