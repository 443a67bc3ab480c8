#include "estimate/distribution/tail_functions.h"

#include <math.h>  // lgamma_r: std::lgamma writes a global, and reports run on several threads

#include <cmath>

namespace sojourn {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// The continued fraction of the incomplete beta function by Lentz's method (Abramowitz and Stegun
/// 26.5.8; Press and others, Numerical Recipes, section 6.4).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto not_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-13) break;
  }
  return result;
}

/// Where a decreasing function falls below `level`.
template <class Function>
double falls_below(double level, double low, double high, Function function) {
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (function(middle) > level ? low : high) = middle;
  }
  return low;
}

}  // namespace

double normal_score(double confidence) {
  return falls_below(1 - confidence, 0, 40, [](double z) { return std::erfc(z / M_SQRT2); });
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  // The form that converges faster.
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_score(double confidence, double degrees) {
  const double least = normal_score(confidence);
  double most = 2 * least;
  const auto tail = [degrees](double t) {
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  };
  while (tail(most) > 1 - confidence) most *= 4;
  return falls_below(1 - confidence, least, most, tail);
}

}  // namespace sojourn
