#include "estimate/distribution/inverse_variance.h"

#include <array>
#include <map>

#include "estimate/distribution/log_histogram.h"

namespace sojourn {
namespace {

constexpr std::size_t max_fridges = 8;
// The paper's prototype has one bin an octave (section 6.2); finer bins hold too few samples to
// estimate a variance from.
constexpr int bins_an_octave_log2 = 0;

std::int32_t bin_of(std::int64_t delay_ns) {
  return LogBuckets::index_of(delay_ns) >> (LogBuckets::mantissa_bits - bins_an_octave_log2);
}

}  // namespace

void weigh_by_inverse_variance(std::span<FridgeSample> samples) {
  std::map<std::int32_t, std::array<double, max_fridges>> bins;
  for (const FridgeSample& sample : samples)
    bins[bin_of(sample.delay_ns)][sample.fridge % max_fridges] += sample.weight * sample.weight;

  for (auto& [bin, variances] : bins) {
    double certainty = 0;
    for (const double variance : variances)
      if (variance > 0) certainty += 1 / variance;
    for (double& variance : variances)
      if (variance > 0) variance = 1 / variance / certainty;  // from here on: the fridge's share
  }

  for (FridgeSample& sample : samples)
    sample.weight *= bins[bin_of(sample.delay_ns)][sample.fridge % max_fridges];
}

}  // namespace sojourn
