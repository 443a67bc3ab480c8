#pragma once
// How much precision is lost because each sample resembles the one before.

#include <cstdint>
#include <span>

#include "estimate/distribution/sample_log.h"

namespace sojourn {

/// How many times greater the variance of the CDF is than for independent samples; at least 1.
///
/// The log, in the order of time, is divided into 20 batches of equal length, fewer if they would
/// be shorter than 3.  If samples are independent, the deviations of the batches from F,
///
///     d(batch, t) = sum over the batch of w_i (1{delay_i <= t} - F(t)),
///
/// have squares that add up to the sum of w_i^2 (1{delay_i <= t} - F(t))^2 over all samples; if
/// neighbours are correlated, to more.  The quotient is the inflation at t, and the greatest over
/// `levels` is used (batch means, with as many batches as Schmeiser, Operations Research 30, 1982,
/// recommends).  Correlation over more than a batch, a twentieth of the run, is not detected.
/// 1 for fewer than 15 samples.
double variance_inflation(const SampleLog& log, std::span<const std::int64_t> levels_ns);

}  // namespace sojourn
