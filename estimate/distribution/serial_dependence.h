#pragma once
// How much less samples are worth because each resembles the one before.

#include <cstdint>
#include <span>

#include "estimate/distribution/sample_log.h"

namespace sojourn {

/// How many times greater the variance of the CDF is than if samples were independent; at least 1.
///
/// The log, in the order of time, is cut into 20 batches of equal length, fewer if they
/// would be shorter than 3.  If samples are
/// independent, the deviations of the batches from F,
///
///     d(batch, t) = sum over the batch of w_i (1{delay_i <= t} - F(t)),
///
/// have squares that add up to the sum of w_i^2 (1{delay_i <= t} - F(t))^2 over all samples; if
/// neighbours are alike, to more.  The quotient is the inflation at t, and the greatest over
/// `levels` is taken (batch means, with as many batches as Schmeiser, Operations Research 30, 1982,
/// recommends).  What is alike for longer than a batch, a twentieth of the run, is not seen.
/// 1 for fewer than 15 samples.
double variance_inflation(const SampleLog& log, std::span<const std::int64_t> levels_ns);

}  // namespace sojourn
