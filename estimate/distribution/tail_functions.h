#pragma once
// Tails of the distributions behind intervals and tests.

namespace sojourn {

/// z with P(|Z| <= z) = confidence for a standard normal Z: 1.96 for 0.95.
double normal_score(double confidence);

/// t with P(|T| <= t) = confidence for Student's T with `degrees` of freedom, which may be a
/// fraction: 2.04 for 0.95 and 31.
double student_score(double confidence, double degrees);

/// P(X <= x) of a Beta(a, b) variable: the regularized incomplete beta function.
double incomplete_beta(double a, double b, double x);

}  // namespace sojourn
