#pragma once
// The quantiles of several distributions, on several threads.

#include <span>
#include <vector>

#include "estimate/distribution/distribution.h"

namespace sojourn {

/// Distribution::estimates() of each, in the same order.  Of millions of samples each takes a pass
/// over all of them, and with several threads at work before, this would be what the others wait
/// for.
std::vector<std::vector<QuantileEstimate>> estimates_of(
    std::span<const Distribution* const> distributions, std::span<const double> qs,
    unsigned threads);

}  // namespace sojourn
