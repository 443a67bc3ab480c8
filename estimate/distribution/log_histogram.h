#pragma once
// Weights of delays in buckets whose width grows with the delay: the streaming form of a
// distribution, mergeable by addition.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace sojourn {

/// The bucket of a delay, by integer arithmetic only (the layout of HdrHistogram).
///
///     magnitude < 256      one bucket per nanosecond
///     otherwise            the exponent and the 7 bits after the leading one name the bucket
///
/// So a bucket is at most 1/128 of its delay wide.  Negative delays, which a stepped clock gives,
/// mirror the positive ones below zero: order is preserved, and every 64-bit delay is in range.
struct LogBuckets {
  static constexpr int mantissa_bits = 7;
  static constexpr std::int32_t per_octave = 1 << mantissa_bits;
  static constexpr double relative_width = 1.0 / per_octave;
  static constexpr std::int32_t octaves = 64 - mantissa_bits;
  static constexpr std::int32_t per_sign = octaves * per_octave;

  /// Increases with the delay; -per_sign to per_sign - 1.  -1 holds -1 ns, 0 holds 0 ns.
  static constexpr std::int32_t index_of(std::int64_t ns) {
    if !consteval {
      if (static_cast<std::uint64_t>(ns) < std::uint64_t{1} << std::numeric_limits<double>::digits)
          [[likely]]
        return index_by_double(ns);
    }
    return index_by_bits(ns);
  }
  static constexpr std::int32_t index_by_bits(std::int64_t ns) {
    // ~ns = -ns - 1 mirrors without overflow at the lowest value.
    return ns >= 0 ? index_of_magnitude(static_cast<std::uint64_t>(ns))
                   : ~index_of_magnitude(static_cast<std::uint64_t>(~ns));
  }

  /// The least and the greatest delay of a bucket.
  static constexpr std::int64_t lowest(std::int32_t index) {
    return index >= 0 ? static_cast<std::int64_t>(first_magnitude(index)) : ~last_magnitude(~index);
  }
  static constexpr std::int64_t highest(std::int32_t index) {
    return index >= 0 ? last_magnitude(index) : ~static_cast<std::int64_t>(first_magnitude(~index));
  }

 private:
  /// A delay that a double represents exactly has exponent and leading bits beside each other
  /// there. (Finding the leading one takes several cycles where the processor may lack an
  /// instruction for it.)
  static std::int32_t index_by_double(std::int64_t ns) {
    constexpr int fraction_bits = std::numeric_limits<double>::digits - 1;
    constexpr std::int32_t first = (1023 + mantissa_bits - 1) * per_octave;
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(ns));
    const auto index = static_cast<std::int32_t>(bits >> (fraction_bits - mantissa_bits)) - first;
    return ns < per_octave ? static_cast<std::int32_t>(ns) : index;
  }
  static constexpr std::int32_t index_of_magnitude(std::uint64_t magnitude) {
    const int shift = 63 - mantissa_bits - std::countl_zero(magnitude | per_octave);
    return shift * per_octave + static_cast<std::int32_t>(magnitude >> shift);
  }
  static constexpr int shift_of(std::int32_t index) {
    return index < 2 * per_octave ? 0 : index / per_octave - 1;
  }
  static constexpr std::uint64_t first_magnitude(std::int32_t index) {
    const int shift = shift_of(index);
    return static_cast<std::uint64_t>(index - shift * per_octave) << shift;
  }
  static constexpr std::int64_t last_magnitude(std::int32_t index) {
    const std::uint64_t width = std::uint64_t{1} << shift_of(index);
    return static_cast<std::int64_t>(first_magnitude(index) + (width - 1));
  }
};

/// One number per bucket, allocated an octave at a time on demand: 1 KiB for each octave in use, 1
/// KiB for the directory.
class BucketPlane {
 public:
  void add(std::int32_t index, double amount) {
    const auto at = static_cast<std::uint32_t>(index + LogBuckets::per_sign);
    auto& octave = octaves_[at / LogBuckets::per_octave];
    if (!octave) [[unlikely]]
      octave = std::make_unique<Octave>();
    (*octave)[at % LogBuckets::per_octave] += amount;
  }
  void add_all(const BucketPlane& other);
  double at(std::int32_t index) const {
    const auto place = static_cast<std::uint32_t>(index + LogBuckets::per_sign);
    const auto octave = place / LogBuckets::per_octave;
    if (octave >= octaves_.size() || !octaves_[octave]) return 0;
    return (*octaves_[octave])[place % LogBuckets::per_octave];
  }

  /// Calls visit(index, amount) for each bucket that is not empty, in order of delay.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t o = 0; o < octaves_.size(); ++o) {
      if (!octaves_[o]) continue;
      const auto first =
          static_cast<std::int32_t>(o) * LogBuckets::per_octave - LogBuckets::per_sign;
      for (std::int32_t i = 0; i < LogBuckets::per_octave; ++i)
        if (const double amount = (*octaves_[o])[static_cast<std::size_t>(i)]; amount > 0)
          visit(first + i, amount);
    }
  }

 private:
  using Octave = std::array<double, LogBuckets::per_octave>;
  std::array<std::unique_ptr<Octave>, 2 * LogBuckets::octaves> octaves_;
};

/// Sums of weights, and of squared weights for the confidence interval, per bucket.  As long as
/// every weight is 1 the two are the same numbers and are stored once.
class LogHistogram {
 public:
  void add(std::int64_t ns, double weight) {
    const std::int32_t index = LogBuckets::index_of(ns);
    if (weight != 1 && !squares_) [[unlikely]]
      start_squares();
    weights_.add(index, weight);
    if (squares_) squares_->add(index, weight * weight);
  }
  /// Delays of weight 1, by their buckets.
  void add_plain(std::span<const std::int32_t> buckets) {
    for (const std::int32_t bucket : buckets) weights_.add(bucket, 1);
    if (squares_)
      for (const std::int32_t bucket : buckets) squares_->add(bucket, 1);
  }
  /// Delays of any weights, by their buckets.
  void add_weighted(std::span<const std::int32_t> buckets, std::span<const double> weights) {
    if (!squares_) start_squares();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      weights_.add(buckets[i], weights[i]);
      squares_->add(buckets[i], weights[i] * weights[i]);
    }
  }
  /// Samples of which only sums are known.
  void add_bucket(std::int32_t index, double weight, double squares) {
    if (weight != squares && !squares_) start_squares();
    weights_.add(index, weight);
    if (squares_) squares_->add(index, squares);
  }
  void merge(const LogHistogram& other);

  bool all_weigh_one() const { return !squares_; }
  const BucketPlane& weights() const { return weights_; }
  const BucketPlane& squares() const { return squares_ ? *squares_ : weights_; }

 private:
  void start_squares();

  BucketPlane weights_;
  std::optional<BucketPlane> squares_;
};

}  // namespace sojourn
