#pragma once
// Where the samples of a round-trip measurement go: a file, a network, another program.

#include <span>

#include "core/sample.h"

namespace sojourn {

/// Takes samples a batch at a time, in the order of their responses: one virtual call for many.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  /// The samples do not outlive the call.
  virtual void take(std::span<const Sample> samples) = 0;
};

}  // namespace sojourn
