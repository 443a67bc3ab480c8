#pragma once
// The uncertainty of an empirical CDF at a quantile.

namespace sojourn {

/// Shares of the total weight that enclose the true quantile.
struct CdfLevels {
  double low;
  double high;
  bool bounded_below;  ///< false if no sample can be expected below the quantile
  bool bounded_above;
};

/// Of n samples, the number at or below the true quantile q is binomial(n, q), whatever the
/// distribution of the samples.  So sample k in order is below it with the probability that a
/// Beta(k, n + 1 - k) variable is below q.  The ranks k where that reaches the two tails outside
/// `confidence` enclose the quantile.  Fractional ranks represent points between samples (Hutson,
/// Journal of Applied Statistics 26, 1999), and rank k the level (k - 1/2) / n, the middle of its
/// share.  Beyond n q (1-q) = 400, the normal approximation with its term for skewness is used.  0
/// < q < 1; n may be an effective sample size, and fractional.
CdfLevels cdf_levels(double n, double q, double confidence);

}  // namespace sojourn
