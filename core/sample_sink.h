#pragma once
// Where the samples of a round-trip measurement go: a file, a network, another program.

#include <span>
#include <vector>

#include "core/sample.h"

namespace sojourn {

/// Takes samples a batch at a time, in the order of their responses: one virtual call for many.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  /// The samples do not outlive the call.
  virtual void take(std::span<const Sample> samples) = 0;
};

/// Keeps them, in order.
class KeptSamples final : public SampleSink {
 public:
  void take(std::span<const Sample> samples) override {
    kept_.insert(kept_.end(), samples.begin(), samples.end());
  }
  std::span<const Sample> samples() const { return kept_; }
  void clear() { kept_.clear(); }

 private:
  std::vector<Sample> kept_;
};

}  // namespace sojourn
