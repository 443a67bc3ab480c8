#pragma once
// Quantiles of weighted samples without sorting them all.

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/distribution/log_histogram.h"
#include "estimate/distribution/sample_log.h"

namespace sojourn {

/// The delays at each of `targets` (ascending, in units of weight, from 0 to the total): a sample
/// is in the middle of its own weight, at the weight of all before it plus half of its own, and
/// values are linear between consecutive samples.  The histogram of the same samples tells the
/// bucket of each target; one pass over the log collects those few buckets.
std::vector<std::int64_t> select_exactly(const SampleLog& log, const LogHistogram& histogram,
                                         std::span<const double> targets);

/// The same to the width of a bucket, from the histogram only.
std::vector<std::int64_t> select_from_buckets(const LogHistogram& histogram,
                                              std::span<const double> targets);

}  // namespace sojourn
