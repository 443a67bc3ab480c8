#pragma once
// Count, sums and extremes of weighted delays, without losing digits over a billion samples.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace sojourn {

/// Kahan's sum: the rounding error of each addition is carried to the next.
class CompensatedSum {
 public:
  void add(double value) {
    const double corrected = value - excess_;
    const double next = sum_ + corrected;
    excess_ = (next - sum_) - corrected;
    sum_ = next;
  }
  void add(const CompensatedSum& other) {
    add(other.sum_);
    add(-other.excess_);
  }
  double value() const { return sum_; }

 private:
  double sum_ = 0;
  double excess_ = 0;
};

/// Samples of weight 1, the most frequent by far, are summed as integers: exact, and cheaper.
class Moments {
 public:
  void add(std::int64_t ns, double weight) {
    min_ = std::min(min_, ns);
    max_ = std::max(max_, ns);
    if (weight == 1) [[likely]] {
      ++plain_;
      plain_sum_ += ns;
      return;
    }
    ++weighted_;
    weight_.add(weight);
    weight_squared_.add(weight * weight);
    weighted_sum_.add(weight * static_cast<double>(ns));
  }

  void add_plain(std::span<const std::int64_t> delays_ns) {
    std::int64_t least = min_, greatest = max_;
    Wide sum = 0;
    for (const std::int64_t ns : delays_ns) {
      least = std::min(least, ns);
      greatest = std::max(greatest, ns);
      sum += ns;
    }
    min_ = least;
    max_ = greatest;
    plain_ += delays_ns.size();
    plain_sum_ += sum;
  }

  void merge(const Moments& other) {
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    plain_ += other.plain_;
    plain_sum_ += other.plain_sum_;
    weighted_ += other.weighted_;
    weight_.add(other.weight_);
    weight_squared_.add(other.weight_squared_);
    weighted_sum_.add(other.weighted_sum_);
  }

  std::uint64_t count() const { return plain_ + weighted_; }
  bool all_weights_are_one() const { return weighted_ == 0; }
  double total_weight() const { return static_cast<double>(plain_) + weight_.value(); }
  double total_squared_weight() const {
    return static_cast<double>(plain_) + weight_squared_.value();
  }
  /// Only with count() > 0.
  double mean() const {
    return (static_cast<double>(plain_sum_) + weighted_sum_.value()) / total_weight();
  }
  std::int64_t min() const { return min_; }
  std::int64_t max() const { return max_; }

 private:
  __extension__ using Wide = __int128;

  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t plain_ = 0;
  std::uint64_t weighted_ = 0;
  Wide plain_sum_ = 0;
  CompensatedSum weight_;
  CompensatedSum weight_squared_;
  CompensatedSum weighted_sum_;
};

}  // namespace sojourn
