#pragma once
// The distribution of weighted delays: quantiles, each with its confidence interval.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/flow_tag.h"
#include "core/time.h"
#include "estimate/distribution/delay_snapshot.h"
#include "estimate/distribution/flow_groups.h"
#include "estimate/distribution/flow_variance.h"
#include "estimate/distribution/log_histogram.h"
#include "estimate/distribution/moments.h"
#include "estimate/distribution/sample_log.h"

namespace sojourn {

/// What a distribution stores besides its histogram.
enum class Keep : std::uint8_t {
  histogram,     ///< a few KiB; quantiles within relative_error() once there are many samples
  every_sample,  ///< 4 to 8 bytes a sample; quantiles exact to the nanosecond
};

/// Why a value cannot be bounded.
enum class Unbounded : std::uint8_t {
  no,
  too_few_samples,  ///< even if all of them were independent
  too_few_flows,    ///< enough samples, but from too few flows
};

/// Where the true value is, with the requested confidence.
struct Interval {
  Duration low;
  Duration high;
  /// False if the samples cannot bound the value: `low` is then the least or `high` the greatest
  /// delay seen, and the true value may be beyond.
  bool bounded_below = true;
  bool bounded_above = true;
  Unbounded why = Unbounded::no;

  bool bounded() const { return bounded_below && bounded_above; }
};

/// A quantile and its interval.
struct QuantileEstimate {
  Duration delay;
  Interval interval;
};

struct CdfPoint {
  Duration delay;
  double fraction;  ///< of the total weight, at this delay or below
};

/// A set of weighted delays, each from a flow.
///
/// In order of delay, sample k lies in the middle of its own weight, at m_k = w_1 + ... + w_(k-1) +
/// w_k / 2.  The quantile q is the delay at
///
///     m_1 + q (m_n - m_1),      linear between consecutive samples,
///
/// so the shortest delay is at 0, the longest at 1, the middle one of three and the middle between
/// two at 1/2 (docs/design/estimation.md; with equal weights type 7 of Hyndman and Fan 1996, as in
/// R, NumPy and spreadsheets).  Equal delays are separate samples, so a value that most samples
/// share is the median itself, not an interpolation towards it.
///
/// Up to `few_samples` delays are stored as they are and every result is exact.  Beyond, a
/// histogram is used; with Keep::every_sample it only locates the samples to read.  Negative delays
/// are kept and sort below zero.  Adding costs a few nanoseconds (bench/micro/distribution).
class Distribution {
 public:
  static constexpr std::size_t few_samples = 256;
  /// Keep::every_sample stops storing here (128 to 256 MiB at weight 1), and relative_error()
  /// reports it.
  static constexpr std::size_t most_samples = std::size_t{1} << 25;

  explicit Distribution(Keep keep = Keep::histogram) : keep_(keep) {}

  /// A sample without a flow counts as its own flow.
  void add(Duration delay, double weight = 1) {
    add(delay, weight, FlowTag::numbered(count() + 1));
  }
  /// `weight` is positive and finite: how many real pairs the sample represents.
  void add(Duration delay, double weight, FlowTag flow) {
    const std::int64_t ns = delay.count();
    if (logging_) {
      if (log_.full()) [[unlikely]]
        make_room();
      if (logging_) log_.append(ns, weight);
    }
    if (buckets_) {
      buckets_->histogram.add(ns, weight);
      buckets_->flows.add(LogBuckets::index_of(ns), flow, weight);
    } else {
      tags_.push_back(flow);
    }
    moments_.add(ns, weight);
  }
  /// The same for many delays of weight 1, in less time for each.  `flows` are as many.
  void add_all(std::span<const std::int64_t> delays_ns, std::span<const FlowTag> flows);
  void add_all(std::span<const std::int64_t> delays_ns);
  /// The same for delays of other weights, of which there are as many.
  void add_all(std::span<const std::int64_t> delays_ns, std::span<const double> weights,
               std::span<const FlowTag> flows);
  void merge(const Distribution& other);

  /// Samples stored as sums: those of one group of flows in one bucket of LogBuckets.  `squares` is
  /// the sum of their squared weights, `marks` has a bit for each FlowTag::mark().  Afterwards no
  /// sample is known exactly.
  void add_bucket(std::int32_t bucket, unsigned flow_group, double weight, double squares);
  void add_flow_marks(unsigned flow_group, std::uint64_t marks);
  /// The same for histograms that count groups in cells of FlowGroups: `samples` of a bucket, and
  /// separately what each group has in a cell.
  void add_bucket_of_all(std::int32_t bucket, double weight, double squares, std::uint64_t samples);
  void add_cell(std::int32_t cell, const FlowGroups::Row& weights);

  bool empty() const { return count() == 0; }
  std::uint64_t count() const { return moments_.count(); }
  double total_weight() const { return moments_.total_weight(); }
  /// How many independent samples of weight 1 would give the same precision of the median: 1 / (4
  /// Var F), with the variance between flows (flow_variance.h).
  double effective_samples() const;
  /// How many flows the samples come from.
  FlowCount flows() const;

  std::optional<Duration> min() const;
  std::optional<Duration> max() const;
  std::optional<Duration> mean() const;
  /// q in [0, 1]; nullopt before the first sample.
  std::optional<Duration> quantile(double q) const;
  /// Several at once, in one pass over the samples.  Empty before the first sample.
  std::vector<Duration> quantiles(std::span<const double> qs) const;

  /// Confidence interval of a quantile: Woodruff 1952 on the weighted CDF, with the variance
  /// between flows.  It includes the width of the buckets if not every sample is kept.
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
  /// What to store for a later comparison, with these quantiles.  The correlation of neighbours in
  /// time is known only as long as every sample is kept.
  DelaySnapshot snapshot(std::span<const double> qs) const;

  /// The maximum distance of a quantile from the sample at which F reaches q, relative to the
  /// latter: 0 as long as every sample is kept.
  double relative_error() const { return logging_ || empty() ? 0 : LogBuckets::relative_width; }

 private:
  void make_room();
  void limit_log();
  struct Buckets {
    LogHistogram histogram;
    FlowGroups flows;
  };

  void know_sums_only();
  void start_buckets();
  void add_to_buckets(std::span<const std::int64_t> delays_ns, std::span<const FlowTag> flows);
  void add_log_to(Buckets& buckets) const;
  const Buckets& buckets(std::optional<Buckets>& scratch) const;
  /// The delays at these points of the cumulative weight.
  std::vector<Duration> at_weights(const Buckets& buckets, std::span<const double> targets) const;
  void widen_by_rounding(const LogHistogram& histogram, QuantileEstimate& estimate) const;
  double weight_at(double q) const;  ///< m_1 + q (m_n - m_1)

  Moments moments_;
  std::unique_ptr<Buckets> buckets_;  ///< from `few_samples` on
  SampleLog log_;
  std::vector<FlowTag> tags_;  ///< of the samples in log_, until there are buckets
  Keep keep_;
  bool logging_ = true;  ///< log_ holds every sample
};

}  // namespace sojourn
