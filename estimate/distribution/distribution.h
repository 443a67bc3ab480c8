#pragma once
// The distribution of weighted delays: quantiles, each with its confidence interval.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/time.h"
#include "estimate/distribution/delay_snapshot.h"
#include "estimate/distribution/log_histogram.h"
#include "estimate/distribution/moments.h"
#include "estimate/distribution/sample_log.h"

namespace sojourn {

/// What a distribution remembers beyond its histogram.
enum class Keep : std::uint8_t {
  histogram,     ///< a few KiB; quantiles within relative_error() once there are many samples
  every_sample,  ///< 8 bytes a sample; quantiles exact to the nanosecond
};

/// Where the true value lies with the confidence asked for.
struct Interval {
  Duration low;
  Duration high;
  /// False where the samples are too few to bound the value: `low` is then the least or `high` the
  /// greatest delay that was seen, and the truth may lie beyond.
  bool bounded_below = true;
  bool bounded_above = true;

  bool bounded() const { return bounded_below && bounded_above; }
};

/// A quantile and where the true one may lie.
struct QuantileEstimate {
  Duration delay;
  Interval interval;
};

struct CdfPoint {
  Duration delay;
  double fraction;  ///< of the total weight, at this delay or below
};

/// A set of weighted delays.
///
///     F(t) = sum of weights of delays <= t / sum of all weights
///
/// linear between consecutive samples; the quantile q is where F reaches q, and the least delay
/// for q below the first sample's share (docs/design/estimation.md; type 4 of Hyndman and Fan 1996
/// when all weights are 1).  Equal delays are separate samples, so a value that most samples share
/// is the median itself and not a point on the way to it.
///
/// Up to `few_samples` delays are kept as they are and every answer is exact.  Beyond, a histogram
/// takes over; with Keep::every_sample it only points to the samples to look at.  Negative delays
/// are kept and sort below zero.  Adding costs a few nanoseconds (bench/micro/distribution).
class Distribution {
 public:
  static constexpr std::size_t few_samples = 256;
  /// Keep::every_sample stops keeping here (256 MiB at weight 1), and relative_error() says so.
  static constexpr std::size_t most_samples = std::size_t{1} << 25;

  explicit Distribution(Keep keep = Keep::histogram) : keep_(keep) {}

  /// `weight` is positive and finite: how many real pairs the sample stands for.
  void add(Duration delay, double weight = 1) {
    const std::int64_t ns = delay.count();
    if (logging_) {
      if (log_.full()) [[unlikely]]
        make_room();
      if (logging_) log_.append(ns, weight);
    }
    if (histogram_) histogram_->add(ns, weight);
    moments_.add(ns, weight);
  }
  /// The same for many delays of weight 1, in less time for each.
  void add_all(std::span<const std::int64_t> delays_ns);
  void merge(const Distribution& other);

  bool empty() const { return count() == 0; }
  std::uint64_t count() const { return moments_.count(); }
  double total_weight() const { return moments_.total_weight(); }
  /// (sum w)^2 / sum w^2, Kish 1965: how many samples of equal weight would tell as much.
  double effective_samples() const;

  std::optional<Duration> min() const;
  std::optional<Duration> max() const;
  std::optional<Duration> mean() const;
  /// q in [0, 1]; nullopt before the first sample.
  std::optional<Duration> quantile(double q) const;
  /// Several at once, for one pass over the samples.  Empty before the first sample.
  std::vector<Duration> quantiles(std::span<const double> qs) const;

  /// Confidence interval of a quantile: Woodruff 1952 on the weighted CDF.
  std::optional<Interval> interval(double q, double confidence = 0.95) const;
  /// Several quantiles with their intervals, in the same order.  Empty before the first sample.
  std::vector<QuantileEstimate> estimates(std::span<const double> qs,
                                          double confidence = 0.95) const;
  /// Confidence interval of the mean, by the central limit theorem.
  std::optional<Interval> mean_interval(double confidence = 0.95) const;

  /// F(t), to the histogram's resolution.  0 before the first sample.
  double fraction_up_to(Duration delay) const;
  /// F at each occupied bucket, in order of delay, from (min, 0) to (max, 1).
  std::vector<CdfPoint> cdf() const;
  /// What to put aside for a later comparison, with these quantiles.  How far neighbours are alike
  /// can be told only as long as every sample is kept.
  DelaySnapshot snapshot(std::span<const double> qs) const;

  /// How far a quantile may be from the sample at which F reaches q, as a share of the latter: 0 as
  /// long as every sample is kept.
  double relative_error() const { return logging_ || empty() ? 0 : LogBuckets::relative_width; }

 private:
  void make_room();
  void limit_log();
  void start_histogram();
  const LogHistogram& buckets(std::optional<LogHistogram>& scratch) const;
  /// The number of samples of equal weight that would tell as much about this quantile.
  double samples_at(double q, Duration delay) const;

  Moments moments_;
  std::unique_ptr<LogHistogram> histogram_;  ///< from `few_samples` on
  SampleLog log_;
  Keep keep_;
  bool logging_ = true;  ///< log_ holds every sample
};

}  // namespace sojourn
