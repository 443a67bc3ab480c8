#pragma once
// FRIDGE's combination of several fridges, for comparison with the pooled weight.

#include <cstdint>
#include <span>

namespace sojourn {

/// A sample whose weight is that of its own fridge: the sum over one fridge's samples estimates
/// the number of all pairs, and the sum over N fridges N times as many.
struct FridgeSample {
  std::int64_t delay_ns;
  double weight;
  std::uint8_t fridge;
};

/// Scales the weights so that all fridges together estimate each pair once (FRIDGE section 4.2).
/// In each bin of delays, with sums over the samples of fridge k in the bin,
///
///     f_k = sum w,   V_k = sum w^2  (equation 4.7),   share_k = (1/V_k) / sum_j (1/V_j)
///
/// and the weight of a sample becomes share_k w.  A fridge without a sample in the bin has no V and
/// is left out; the paper does not cover this case.
///
/// NOT unbiased, contrary to the paper's claim.  V_k comes from the same samples as f_k, so a
/// fridge with many samples by chance also seems uncertain, and estimates shrink; and an empty
/// fridge's zero is left out.  FridgesTable's pooled weight has neither problem.
///
/// The weights are final only when all samples are known, so a run has to store its samples.
void weigh_by_inverse_variance(std::span<FridgeSample> samples);

}  // namespace sojourn
