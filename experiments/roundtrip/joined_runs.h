#pragma once
// Several runs of a table joined to one distribution, as in FRIDGE's measurements (section 5).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/distribution/inverse_variance.h"
#include "experiments/roundtrip/table_trial.h"

namespace sojourn {

/// F as one run estimates it, on a fixed scale of delays: 128 steps to the octave, 1 us to 17 s.
///
/// Between two steps F is assumed linear in log(delay); that changes a quantile by far less than a
/// step, 0.008 octaves, wherever a step holds several samples.
class ShareCurve {
 public:
  static constexpr int first_octave = 10, octaves = 24, steps_an_octave = 128;
  static constexpr std::size_t steps = std::size_t{octaves} * steps_an_octave;

  ShareCurve() = default;
  explicit ShareCurve(std::span<const FridgeSample> samples);

  bool empty() const { return shares_.empty(); }
  /// Up to the end of each step.
  std::span<const float> shares() const { return shares_; }

 private:
  std::vector<float> shares_;
};

/// FRIDGE section 5, "Dataset": each experiment is repeated ten times with other hash seeds and the
/// estimated CDFs are combined, "to reduce variance from individual runs and highlight the bias".
constexpr std::size_t runs_joined = 10;

/// The errors of the mean of `size` curves: the root of their mean square over many choices of that
/// many runs.  Choosing again from the same runs costs nothing and uses all of them; the result is
/// about as certain as the variance of curves.size() numbers, whose own relative error is sqrt(2 /
/// (n - 1)), or half of that for the root.
TrialErrors joined_errors(const TrialTruth& truth, std::span<const ShareCurve> curves,
                          std::size_t size = runs_joined);

}  // namespace sojourn
