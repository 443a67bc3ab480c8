#pragma once
// How far an empirical CDF can be off at a quantile.

namespace sojourn {

/// Levels of the empirical CDF between which the true quantile lies.
struct CdfLevels {
  double low;
  double high;
  bool bounded_below;  ///< false if no sample can be expected below the quantile
  bool bounded_above;
};

/// Of n samples, the number at or below the true quantile q is binomial(n, q), whatever the
/// distribution of the samples.  So the order statistics whose ranks enclose `confidence` of that
/// binomial enclose the true quantile.  Exact while n q (1-q) < 100; beyond by the normal
/// approximation.  0 < q < 1; n may be an effective sample size and need not be whole.
CdfLevels cdf_levels(double n, double q, double confidence);

/// z with P(|Z| <= z) = confidence for a standard normal Z: 1.96 for 0.95.
double normal_score(double confidence);

}  // namespace sojourn
