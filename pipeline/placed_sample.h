#pragma once
// A sample and where in the capture its response was.

#include <cstdint>

#include "core/sample.h"

namespace sojourn {

/// The index orders the samples of several threads.
struct PlacedSample {
  std::uint32_t index;
  Sample sample;
};

}  // namespace sojourn
