#pragma once
// Whether a delay distribution changed: a two-sample test for weighted samples.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time.h"
#include "estimate/distribution/delay_snapshot.h"

namespace sojourn {

enum class ShiftVerdict : std::uint8_t {
  same,           ///< no more than chance or the tolerance explain
  slower,         ///< delays rose
  faster,         ///< delays fell
  changed_shape,  ///< some rose and some fell, each significantly
  too_few,        ///< too few samples on one side to tell
};
std::string_view name_of(ShiftVerdict verdict);

/// The measured difference between two distributions, before a verdict.
struct ShiftTest {
  /// One side of the difference: the greatest excess of one CDF over the other.
  struct Side {
    double distance = 0;         ///< 0 to 1
    std::optional<Duration> at;  ///< where; nullopt if there is no excess
    double p_value = 1;          ///< of an excess that large on either side, by chance
  };
  Side slower;  ///< expected delays, `tolerance` longer, are still shorter than the current ones
  Side faster;

  const Side& greater() const { return faster.distance > slower.distance ? faster : slower; }
};

/// With fewer independent samples there is no verdict: neither the limit behind weighted_ks_tail
/// nor the correlation of neighbours is reliable.
inline constexpr double least_independent_samples = 30;

bool enough_to_compare(const DelaySnapshot& snapshot);

/// The test of Kolmogorov and Smirnov on the buckets,
///
///     D = max over t of  F_expected(t / (1 + tolerance)) - F_now(t)      slower
///                        F_now(t) - F_expected(t (1 + tolerance))        faster
///
/// so that `tolerance` = 0.05 tests for a shift that cannot be explained by an error of up to 5 %
/// in every quantile.  If t / (1 + tolerance) falls within a bucket, the end that makes D smaller
/// is used.
///
/// D covers the whole range and is weak if delays span decades and all of them rise by a tenth.  So
/// the means of the logarithms are compared too, by Welch's test: quantiles within a factor of 1 +
/// tolerance have means within its logarithm.  Each of the two tests has half of the significance
/// (Bonferroni).  Both sides must be enough_to_compare().
ShiftTest test_shift(const DelaySnapshot& expected, const DelaySnapshot& now, double tolerance);

/// `significance` is the accepted false-alarm rate of this one comparison.
ShiftVerdict verdict_of(const ShiftTest& test, double significance);

/// Bound on P(D sqrt(n) >= x) if both samples come from one distribution, for
/// n = n1 n2 / (n1 + n2) of their independent samples.
///
/// The error of a weighted CDF is, in the limit, G(t) - F(t) G(end), where G is Brownian motion on
/// the scale of the squared weights: it reaches V(t), their share up to t, and V(end) = 1.  A
/// Brownian bridge would be G(t) - V(t) G(end).  The rest is (V(t) - F(t)) G(end), and G(end) is
/// independent of the bridge.  So with `skew` = max |V - F|, the dependence of weights on the
/// delay,
///
///     P(D sqrt(n) >= x) <= P(max|bridge| + skew |N| >= x),   N standard normal,
///
/// and max|bridge| has the bound C exp(-2 x^2).  C = 2.16863 holds for two samples of equal size
/// from 4 on, not only in the limit (Wei and Dudley, Statistics & Probability Letters 82, 2012).
/// The two together have a closed form.  With equal weights `skew` is 0 and this is that bound.
double weighted_ks_tail(double x, double skew);

}  // namespace sojourn
