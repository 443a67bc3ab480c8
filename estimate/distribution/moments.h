#pragma once
// Count, sums and extremes of weighted delays, without losing precision over a billion samples.

#include <algorithm>
#include <cmath>
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

/// Samples of weight 1, by far the most frequent, are summed as integers: exact, and cheaper.
class Moments {
 public:
  void add(std::int64_t ns, double weight) {
    note_extremes(ns, weight, ns, weight);
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
    std::int64_t least = std::numeric_limits<std::int64_t>::max(),
                 greatest = std::numeric_limits<std::int64_t>::min();
    Wide sum = 0;
    for (const std::int64_t ns : delays_ns) {
      least = std::min(least, ns);
      greatest = std::max(greatest, ns);
      sum += ns;
    }
    if (!delays_ns.empty()) note_extremes(least, 1, greatest, 1);
    plain_ += delays_ns.size();
    plain_sum_ += sum;
  }

  /// Many samples, of any weights.  Their sums are formed first and then added with compensation:
  /// compensating each sample would take most of the time, and what some dozens lose by rounding is
  /// below 1e-14 of their sum.
  void add_weighted(std::span<const std::int64_t> delays_ns, std::span<const double> weights) {
    double weight = 0, squared = 0, sum = 0;
    std::int64_t least = min_, greatest = max_;  // in registers, unlike members
    for (std::size_t i = 0; i < delays_ns.size(); ++i) {
      if (const std::int64_t ns = delays_ns[i]; ns <= least || ns >= greatest) [[unlikely]] {
        note_extremes(ns, weights[i], ns, weights[i]);
        least = min_;
        greatest = max_;
      }
      weight += weights[i];
      squared += weights[i] * weights[i];
      sum += weights[i] * static_cast<double>(delays_ns[i]);
    }
    weighted_ += delays_ns.size();
    weight_.add(weight);
    weight_squared_.add(squared);
    weighted_sum_.add(sum);
  }

  /// Samples of one bucket, of which only the sums of weights and squared weights are known.  Their
  /// number is Kish's, w^2 / squares, and their mean the middle of the bucket.
  void add_bucket(std::int64_t lowest, std::int64_t highest, double weight, double squares) {
    const double kish = std::clamp(std::round(weight * weight / squares), 1.0, most_counted);
    add_bucket(lowest, highest, weight, squares, static_cast<std::uint64_t>(kish));
  }
  /// The same if their number is known.
  void add_bucket(std::int64_t lowest, std::int64_t highest, double weight, double squares,
                  std::uint64_t samples) {
    const double each = squares / weight;
    note_extremes(lowest, each, highest, each);
    const double middle = static_cast<double>(lowest) / 2 + static_cast<double>(highest) / 2;
    if (weight == squares && weight == std::floor(weight) && weight <= most_counted) {
      plain_ += static_cast<std::uint64_t>(weight);
      plain_sum_ += static_cast<Wide>(weight * middle);
      return;
    }
    weighted_ += samples;
    weight_.add(weight);
    weight_squared_.add(squares);
    weighted_sum_.add(weight * middle);
  }

  void merge(const Moments& other) {
    if (other.count() > 0)
      note_extremes(other.min_, other.min_weight_, other.max_, other.max_weight_);
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
  /// Weights of the first and the last sample in order of delay, then weight.
  double min_weight() const { return min_weight_; }
  double max_weight() const { return max_weight_; }

 private:
  /// Larger counts are impossible and need not fit an integer.
  static constexpr double most_counted = 0x1p60;
  __extension__ using Wide = __int128;

  void note_extremes(std::int64_t least, double least_weight, std::int64_t greatest,
                     double greatest_weight) {
    if (least < min_ || (least == min_ && least_weight < min_weight_)) {
      min_ = least;
      min_weight_ = least_weight;
    }
    if (greatest > max_ || (greatest == max_ && greatest_weight > max_weight_)) {
      max_ = greatest;
      max_weight_ = greatest_weight;
    }
  }

  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = std::numeric_limits<std::int64_t>::min();
  double min_weight_ = std::numeric_limits<double>::infinity();
  double max_weight_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t weighted_ = 0;
  Wide plain_sum_ = 0;
  CompensatedSum weight_;
  CompensatedSum weight_squared_;
  CompensatedSum weighted_sum_;
};

}  // namespace sojourn
