#pragma once
// What the user asked `sojourn generate` to make.

#include <string>

#include "lab/recorder/traffic_presets.h"

namespace sojourn {

struct GenerateRequest : TrafficWishes {
  std::string capture;  ///< file to write, "-" for standard output
  std::string truth;    ///< CSV; empty: beside the capture
};

/// Does what was asked and gives the exit status.
int run_generate(const GenerateRequest& request);

}  // namespace sojourn
