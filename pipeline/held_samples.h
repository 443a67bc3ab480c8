#pragma once
// Samples whose weights are known only at the end, when all samples are known.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kind.h"
#include "core/sample.h"
#include "estimate/distribution/inverse_variance.h"

namespace sojourn {

/// A sample and the position of its response in the capture, which orders the samples of several
/// threads.
struct PlacedSample {
  std::uint32_t index;
  Sample sample;
};

/// Keeps every sample until the end, for fridges-ivw, which is there for comparison only.
class HeldSamples {
 public:
  void add(const PlacedSample& placed, std::uint8_t fridge) {
    samples_.push_back(placed);
    fridges_.push_back(fridge);
  }

  /// Computes the weights for the samples of each kind and leg together, and passes them on in
  /// order.
  template <class Use>
  void release(Use use) {
    for (std::size_t kind = 0; kind < kind_count; ++kind)
      for (std::size_t leg = 0; leg < leg_count; ++leg)
        weigh(static_cast<Kind>(kind), static_cast<Leg>(leg));
    for (const PlacedSample& placed : std::exchange(samples_, {})) use(placed);
    fridges_.clear();
  }

 private:
  void weigh(Kind kind, Leg leg) {
    std::vector<std::size_t> places;
    std::vector<FridgeSample> together;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Sample& sample = samples_[i].sample;
      if (sample.kind != kind || sample.leg != leg) continue;
      places.push_back(i);
      together.push_back({sample.delay.count(), sample.weight, fridges_[i]});
    }
    weigh_by_inverse_variance(together);
    for (std::size_t i = 0; i < places.size(); ++i)
      samples_[places[i]].sample.weight = together[i].weight;
  }

  std::vector<PlacedSample> samples_;
  std::vector<std::uint8_t> fridges_;
};

}  // namespace sojourn
