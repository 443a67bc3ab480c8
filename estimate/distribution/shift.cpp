#include "estimate/distribution/shift.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "estimate/distribution/tail_functions.h"

namespace sojourn {
namespace {

/// P(Z <= z) of a standard normal.
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// Shares of the weight and of the squared weight up to the end of each bucket in a range.
class Cumulative {
 public:
  Cumulative(const DelaySnapshot& snapshot, std::int32_t first, std::int32_t last) : first_(first) {
    const auto size = static_cast<std::size_t>(last - first + 1);
    weight_.resize(size);
    squares_.resize(size);
    const double weight = snapshot.total_weight(), squares = snapshot.total_squared_weight();
    for (const auto& bucket : snapshot.buckets) {
      const auto at = static_cast<std::size_t>(bucket.index - first);
      weight_[at] = bucket.weight / weight;
      squares_[at] = bucket.squared_weight / squares;
    }
    for (std::size_t i = 1; i < size; ++i) {
      weight_[i] += weight_[i - 1];
      squares_[i] += squares_[i - 1];
    }
  }
  double weight_up_to(std::int32_t bucket) const { return at(weight_, bucket); }
  double squares_up_to(std::int32_t bucket) const { return at(squares_, bucket); }

 private:
  double at(const std::vector<double>& sums, std::int32_t bucket) const {
    if (bucket < first_) return 0;
    return sums[std::min(static_cast<std::size_t>(bucket - first_), sums.size() - 1)];
  }

  std::int32_t first_;
  std::vector<double> weight_;
  std::vector<double> squares_;
};

/// `factor` times as long for a delay above zero.  A delay below zero, which only a stepped clock
/// gives, is moved in the same direction.
std::int64_t scaled(std::int64_t ns, double factor) {
  const double result = static_cast<double>(ns) * (ns >= 0 ? factor : 1 / factor);
  if (std::abs(result) >= 0x1p62)
    return result > 0 ? std::int64_t{1} << 62 : -(std::int64_t{1} << 62);
  return std::llround(result);
}

/// The last bucket that ends at or before the end of `bucket`, made `factor` shorter.
std::int32_t not_after(std::int32_t bucket, double factor) {
  if (factor == 1) return bucket;
  const std::int64_t ns = scaled(LogBuckets::highest(bucket), 1 / factor);
  const std::int32_t found = LogBuckets::index_of(ns);
  return LogBuckets::highest(found) <= ns ? found : found - 1;
}

/// The first bucket that ends at or after the end of `bucket`, made `factor` longer.
std::int32_t not_before(std::int32_t bucket, double factor) {
  return factor == 1 ? bucket : LogBuckets::index_of(scaled(LogBuckets::highest(bucket), factor));
}

/// Converts a distance in deviations, with the deviation estimated with `degrees` of freedom, to
/// the equivalent for a known deviation.  As Student's t to a normal score (Wallace, Annals of
/// Mathematical Statistics 30, 1959); the tail of the test at x is that of a normal score 2 x.
double as_if_known(double x, double degrees) {
  const double t = 2 * x;
  return (8 * degrees + 1) / (8 * degrees + 3) * std::sqrt(degrees * std::log1p(t * t / degrees)) /
         2;
}

/// P(|T| >= t) for t > 0; 1 otherwise.
double student_tail(double t, double degrees) {
  return t <= 0 ? 1 : incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

}  // namespace

std::string_view name_of(ShiftVerdict verdict) {
  constexpr std::array<std::string_view, 5> names = {"same", "slower", "faster", "changed-shape",
                                                     "too-few"};
  return names[static_cast<std::size_t>(verdict)];
}

bool enough_to_compare(const DelaySnapshot& snapshot) {
  return snapshot.independent_samples() >= least_independent_samples;
}

/// With s = 1 + 4 skew^2 the exponent u^2/2 + 2 (x - skew u)^2 is s (u - m)^2 / 2 + 2 x^2 / s,
/// where m = 4 skew x / s, and the integrand over u = |N| is again a normal density.
double weighted_ks_tail(double x, double skew) {
  constexpr double wei_dudley = 2.16863;
  if (x <= 0) return 1;
  if (skew <= 0) return std::min(1.0, wei_dudley * std::exp(-2 * x * x));
  const double s = 1 + 4 * skew * skew;
  const double m = 4 * skew * x / s;
  const double within = normal_cdf((x / skew - m) * std::sqrt(s)) - normal_cdf(-m * std::sqrt(s));
  const double bridge = wei_dudley * 2 / std::sqrt(s) * std::exp(-2 * x * x / s) * within;
  const double rest = std::erfc(x / skew / std::sqrt(2.0));  // skew |N| reaches x by itself
  return std::min(1.0, bridge + rest);
}

ShiftTest test_shift(const DelaySnapshot& expected, const DelaySnapshot& now, double tolerance) {
  assert(!expected.buckets.empty() && !now.buckets.empty() && tolerance >= 0);
  const std::int32_t first = std::min(expected.buckets.front().index, now.buckets.front().index);
  const std::int32_t last = std::max(expected.buckets.back().index, now.buckets.back().index);
  const Cumulative before{expected, first, last}, after{now, first, last};
  const double variance_before = 1 / expected.independent_samples(),
               variance_after = 1 / now.independent_samples();
  const double variance = variance_before + variance_after;
  const double share = variance_before / variance;  // share of the uncertainty from the stored side

  ShiftTest test;
  double skew = 0;
  const auto look = [&](ShiftTest::Side& side, double sign, std::int32_t bucket,
                        std::int32_t counterpart) {
    const double difference =
        sign * (before.weight_up_to(counterpart) - after.weight_up_to(bucket));
    constexpr double rounding = 1e-12;  // of sums of shares
    if (difference > side.distance + rounding)
      side = {difference, Duration{LogBuckets::highest(bucket)}};
    // Both CDFs estimate one F, in the proportion of their squared weights in V.
    const double v =
        share * before.squares_up_to(counterpart) + (1 - share) * after.squares_up_to(bucket);
    const double f =
        share * before.weight_up_to(counterpart) + (1 - share) * after.weight_up_to(bucket);
    skew = std::max(skew, std::abs(v - f));
  };
  for (std::int32_t bucket = first; bucket <= last; ++bucket) {
    look(test.slower, 1, bucket, not_after(bucket, 1 + tolerance));
    look(test.faster, -1, bucket, not_before(bucket, 1 + tolerance));
  }
  const auto log_before = expected.mean_log(), log_after = now.mean_log();
  const double log_variance = log_before.variance + log_after.variance;
  const double degrees = log_variance * log_variance /
                         (log_before.variance * log_before.variance / log_before.degrees +
                          log_after.variance * log_after.variance / log_after.degrees);  // Welch
  const bool independent = expected.inflation <= 1 && now.inflation <= 1;
  const double known = std::min(log_before.degrees, log_after.degrees);
  const auto judge = [&](ShiftTest::Side& side, double rise) {
    const double x = side.distance / std::sqrt(variance);
    const double by_distance =
        weighted_ks_tail(independent ? x : as_if_known(x, known), skew < 1e-12 ? 0 : skew);
    double by_mean = 1;
    if (log_variance > 0)
      by_mean = student_tail((rise - std::log1p(tolerance)) / std::sqrt(log_variance), degrees);
    side.p_value = std::min(1.0, 2 * std::min(by_distance, by_mean));
  };
  judge(test.slower, log_after.mean - log_before.mean);
  judge(test.faster, log_before.mean - log_after.mean);
  return test;
}

ShiftVerdict verdict_of(const ShiftTest& test, double significance) {
  const bool slower = test.slower.p_value <= significance,
             faster = test.faster.p_value <= significance;
  if (slower && faster) return ShiftVerdict::changed_shape;
  if (slower) return ShiftVerdict::slower;
  return faster ? ShiftVerdict::faster : ShiftVerdict::same;
}

}  // namespace sojourn
