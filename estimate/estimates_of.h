#pragma once
// The quantiles of several distributions, on several threads.

#include <span>
#include <vector>

#include "estimate/distribution/distribution.h"

namespace sojourn {

/// Distribution::estimates() of each, in the same order.  With millions of samples each takes a
/// pass over all of them; on one thread this would be the bottleneck of a multithreaded run.
std::vector<std::vector<QuantileEstimate>> estimates_of(
    std::span<const Distribution* const> distributions, std::span<const double> qs,
    unsigned threads);

}  // namespace sojourn
