#pragma once
// Count, mean and standard deviation of delays, in four words and without a division per packet.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/time.h"

namespace sojourn {

/// RLI's three counters per flow (equations 2 to 4) in a form without cancellation: v/c - (m/c)^2
/// loses every digit when the clocks are an hour apart and the delays differ by microseconds.  So
/// sums are taken of the difference from the first delay; that costs one more word.
class DelayMoments {
 public:
  void add(Duration delay) {
    const std::int64_t ns = to_ns(delay);
    if (count_ == 0) pivot_ns_ = ns;
    const std::int64_t off = difference_ns(ns, pivot_ns_);
    ++count_;
    sum_ += static_cast<double>(off);
    squares_ += static_cast<double>(off) * static_cast<double>(off);
  }

  std::uint64_t count() const { return count_; }
  /// 0 before the first delay.
  double mean_ns() const {
    return count_ ? static_cast<double>(pivot_ns_) + sum_ / static_cast<double>(count_) : 0;
  }
  /// The deviation of exactly these delays (equation 6 of RLI, divided by n); 0 below two.
  double variance_ns2() const {
    if (count_ < 2) return 0;
    const auto n = static_cast<double>(count_);
    return std::max(0.0, (squares_ - sum_ * (sum_ / n)) / n);
  }
  double deviation_ns() const { return std::sqrt(variance_ns2()); }
  /// The deviation of the population sampled (divided by n - 1, CNF section III-G); 0 below two.
  double sample_deviation_ns() const {
    if (count_ < 2) return 0;
    const auto n = static_cast<double>(count_);
    return std::sqrt(variance_ns2() * n / (n - 1));
  }

 private:
  std::uint64_t count_ = 0;
  std::int64_t pivot_ns_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace sojourn
