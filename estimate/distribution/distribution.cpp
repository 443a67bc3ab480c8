#include "estimate/distribution/distribution.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "estimate/distribution/flow_variance.h"
#include "estimate/distribution/order_ranks.h"
#include "estimate/distribution/select_quantiles.h"
#include "estimate/distribution/serial_dependence.h"
#include "estimate/distribution/tail_functions.h"

namespace sojourn {
namespace {

/// Sum over the buckets up to `ns`, with the proportional share of the last one.
double sum_up_to(const BucketPlane& plane, std::int64_t ns) {
  const std::int32_t last = LogBuckets::index_of(ns);
  double sum = 0;
  plane.for_each([&](std::int32_t bucket, double amount) {
    if (bucket > last) return;
    const double low = static_cast<double>(LogBuckets::lowest(bucket));
    const double width = static_cast<double>(LogBuckets::highest(bucket)) - low + 1;
    sum += bucket < last ? amount : amount * (static_cast<double>(ns) - low + 1) / width;
  });
  return sum;
}

/// How many independent samples of equal weight would give the same precision of the quantile q.
/// Woodruff's interval uses the variance of F at the quantile t,
///
///     var F(t) = ( (1-q)^2 sum_{delay <= t} w^2 + q^2 sum_{delay > t} w^2 ) / (sum w)^2,
///
/// which is q(1-q)/n for n samples of weight 1.  A table's weights depend on the delay: long delays
/// are seen more rarely and weigh more.
double samples_at(const LogHistogram& histogram, const Moments& moments, double q) {
  if (moments.all_weights_are_one()) return static_cast<double>(moments.count());
  const double weight = moments.total_weight();
  const double target = q * weight;
  const auto at = select_from_buckets(histogram, {&target, 1});
  const double all = moments.total_squared_weight();
  const double below = std::min(sum_up_to(histogram.squares(), at[0]), all);
  const double sum = (1 - q) * (1 - q) * below + q * q * (all - below);
  return q * (1 - q) * weight * weight / sum;
}

/// Its neighbours weigh about as much as the bucket unless one value in it is frequent.
bool is_smooth_at(const LogHistogram& histogram, std::int32_t bucket) {
  constexpr double about = 1.0 / 3;
  const auto& weights = histogram.weights();
  return std::min(weights.at(bucket - 1), weights.at(bucket + 1)) >= about * weights.at(bucket);
}

}  // namespace

void Distribution::add_log_to(Buckets& buckets) const {
  std::size_t i = 0;
  log_.for_each([&](std::int64_t ns, double weight) {
    buckets.histogram.add(ns, weight);
    buckets.flows.add(LogBuckets::index_of(ns), tags_[i++], weight);
  });
}

void Distribution::start_buckets() {
  buckets_ = std::make_unique<Buckets>();
  add_log_to(*buckets_);
  tags_ = {};
}

/// Called when the log has no room for another sample.
void Distribution::make_room() {
  if (!buckets_ && log_.size() >= few_samples) start_buckets();
  limit_log();
  if (logging_) log_.grow();
}

void Distribution::limit_log() {
  if (log_.size() < (keep_ == Keep::every_sample ? most_samples : few_samples)) return;
  logging_ = false;
  log_.clear();
}

void Distribution::add_all(std::span<const std::int64_t> delays_ns,
                           std::span<const FlowTag> flows) {
  assert(delays_ns.size() == flows.size());
  while (!delays_ns.empty()) {
    if (logging_ && log_.full()) make_room();
    const std::size_t size = logging_ ? std::min(delays_ns.size(), log_.room()) : delays_ns.size();
    const auto piece = delays_ns.first(size);
    if (logging_) log_.append_plain(piece);
    if (buckets_)
      add_to_buckets(piece, flows.first(size));
    else
      tags_.insert(tags_.end(), flows.begin(), flows.begin() + static_cast<std::ptrdiff_t>(size));
    moments_.add_plain(piece);
    delays_ns = delays_ns.subspan(size);
    flows = flows.subspan(size);
  }
}

void Distribution::add_to_buckets(std::span<const std::int64_t> delays_ns,
                                  std::span<const FlowTag> flows) {
  std::array<std::int32_t, 128> places;
  while (!delays_ns.empty()) {
    const std::size_t size = std::min(delays_ns.size(), places.size());
    for (std::size_t i = 0; i < size; ++i) places[i] = LogBuckets::index_of(delays_ns[i]);
    buckets_->histogram.add_plain(std::span{places}.first(size));
    buckets_->flows.add_all(std::span{places}.first(size), flows.first(size));
    delays_ns = delays_ns.subspan(size);
    flows = flows.subspan(size);
  }
}

void Distribution::add_all(std::span<const std::int64_t> delays_ns, std::span<const double> weights,
                           std::span<const FlowTag> flows) {
  assert(delays_ns.size() == flows.size() && delays_ns.size() == weights.size());
  std::array<std::int32_t, 128> places;
  while (!delays_ns.empty()) {
    if (logging_ || !buckets_) {
      add(Duration{delays_ns.front()}, weights.front(), flows.front());
      delays_ns = delays_ns.subspan(1);
      weights = weights.subspan(1);
      flows = flows.subspan(1);
      continue;
    }
    const std::size_t size = std::min(delays_ns.size(), places.size());
    for (std::size_t i = 0; i < size; ++i) places[i] = LogBuckets::index_of(delays_ns[i]);
    const auto buckets = std::span<const std::int32_t>{places}.first(size);
    buckets_->histogram.add_weighted(buckets, weights.first(size));
    buckets_->flows.add_all(buckets, flows.first(size), weights.first(size));
    moments_.add_weighted(delays_ns.first(size), weights.first(size));
    delays_ns = delays_ns.subspan(size);
    weights = weights.subspan(size);
    flows = flows.subspan(size);
  }
}

void Distribution::add_all(std::span<const std::int64_t> delays_ns) {
  std::array<FlowTag, 64> flows;
  while (!delays_ns.empty()) {
    const std::size_t size = std::min(delays_ns.size(), flows.size());
    for (std::size_t i = 0; i < size; ++i) flows[i] = FlowTag::numbered(count() + i + 1);
    add_all(delays_ns.first(size), std::span{flows}.first(size));
    delays_ns = delays_ns.subspan(size);
  }
}

void Distribution::merge(const Distribution& other) {
  if (other.empty()) return;
  moments_.merge(other.moments_);
  if (!buckets_ && (other.buckets_ || log_.size() + other.log_.size() > few_samples))
    start_buckets();
  if (buckets_ && other.buckets_) {
    buckets_->histogram.merge(other.buckets_->histogram);
    buckets_->flows.merge(other.buckets_->flows);
  } else if (buckets_) {
    other.add_log_to(*buckets_);
  } else {
    tags_.insert(tags_.end(), other.tags_.begin(), other.tags_.end());
  }

  logging_ = logging_ && other.logging_;
  if (!logging_) return log_.clear();
  log_.append_all(other.log_);
  if (buckets_) limit_log();
}

void Distribution::know_sums_only() {
  if (!buckets_) start_buckets();
  logging_ = false;
  log_.clear();
}

void Distribution::add_bucket_of_all(std::int32_t bucket, double weight, double squares,
                                     std::uint64_t samples) {
  assert(weight > 0 && squares > 0 && samples > 0);
  know_sums_only();
  buckets_->histogram.add_bucket(bucket, weight, squares);
  moments_.add_bucket(LogBuckets::lowest(bucket), LogBuckets::highest(bucket), weight, squares,
                      samples);
}

void Distribution::add_cell(std::int32_t cell, const FlowGroups::Row& weights) {
  know_sums_only();
  buckets_->flows.add_row(cell, weights);
}

void Distribution::add_bucket(std::int32_t bucket, unsigned flow_group, double weight,
                              double squares) {
  assert(weight > 0 && squares > 0 && flow_group < FlowTag::groups);
  know_sums_only();
  buckets_->histogram.add_bucket(bucket, weight, squares);
  buckets_->flows.add_weight(bucket, flow_group, weight);
  moments_.add_bucket(LogBuckets::lowest(bucket), LogBuckets::highest(bucket), weight, squares);
}

void Distribution::add_flow_marks(unsigned flow_group, std::uint64_t marks) {
  if (!buckets_) start_buckets();
  buckets_->flows.add_seen(flow_group, marks);
}

FlowCount Distribution::flows() const {
  std::optional<Buckets> scratch;
  return buckets(scratch).flows.count();
}

std::optional<Duration> Distribution::min() const {
  if (empty()) return std::nullopt;
  return Duration{moments_.min()};
}

std::optional<Duration> Distribution::max() const {
  if (empty()) return std::nullopt;
  return Duration{moments_.max()};
}

std::optional<Duration> Distribution::mean() const {
  if (empty()) return std::nullopt;
  return Duration{std::llround(moments_.mean())};
}

std::optional<Duration> Distribution::quantile(double q) const {
  const auto found = quantiles({&q, 1});
  return found.empty() ? std::nullopt : std::optional{found.front()};
}

/// The buckets; for few samples they are built on demand.
const Distribution::Buckets& Distribution::buckets(std::optional<Buckets>& scratch) const {
  if (buckets_) return *buckets_;
  scratch.emplace();
  add_log_to(*scratch);
  return *scratch;
}

double Distribution::weight_at(double q) const {
  const double first = moments_.min_weight() / 2, last = moments_.max_weight() / 2;
  return count() == 1 ? first : first + q * (total_weight() - first - last);
}

std::vector<Duration> Distribution::at_weights(const Buckets& buckets,
                                               std::span<const double> targets) const {
  std::vector<std::size_t> order(targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return targets[i]; });
  std::vector<double> ascending;
  for (const std::size_t i : order) ascending.push_back(targets[i]);
  const auto found = logging_ ? select_exactly(log_, buckets.histogram, ascending)
                              : select_from_buckets(buckets.histogram, ascending);

  std::vector<Duration> result(targets.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::int64_t ns = found[i];
    // The first and the last sample are known to the nanosecond, whatever their bucket.
    if (!logging_ && ascending[i] <= moments_.min_weight() / 2) ns = moments_.min();
    if (!logging_ && ascending[i] >= total_weight() - moments_.max_weight() / 2)
      ns = moments_.max();
    result[order[i]] = Duration{std::clamp(ns, moments_.min(), moments_.max())};
  }
  return result;
}

std::vector<Duration> Distribution::quantiles(std::span<const double> qs) const {
  if (empty()) return {};
  std::vector<double> targets;
  for (const double q : qs) {
    assert(q >= 0 && q <= 1);
    targets.push_back(weight_at(q));
  }
  std::optional<Buckets> scratch;
  return at_weights(buckets(scratch), targets);
}

std::optional<Interval> Distribution::interval(double q, double confidence) const {
  const auto found = estimates({&q, 1}, confidence);
  return found.empty() ? std::nullopt : std::optional{found.front().interval};
}

double Distribution::effective_samples() const {
  if (empty()) return 0;
  std::optional<Buckets> scratch;
  const Buckets& buckets = this->buckets(scratch);
  return samples_at(buckets.histogram, moments_, 0.5) /
         FlowVariance{buckets.histogram, buckets.flows}.effect(0.5);
}

/// Finds the sample size that would make F as uncertain at the quantile as it is, and reads its
/// order statistics off the weighted CDF.  If flows differ more than samples would, their variance
/// is itself an estimate with some degrees of freedom, and Student's score replaces the normal one.
std::vector<QuantileEstimate> Distribution::estimates(std::span<const double> qs,
                                                      double confidence) const {
  if (empty()) return {};
  std::optional<Buckets> scratch;
  const Buckets& buckets = this->buckets(scratch);
  const FlowVariance variance{buckets.histogram, buckets.flows};
  double widening = 1;  // of the variance
  if (std::ranges::any_of(qs, [&](double q) { return variance.effect(q) > 1; }))
    widening =
        std::pow(student_score(confidence, variance.degrees()) / normal_score(confidence), 2);

  std::vector<double> targets;
  std::vector<QuantileEstimate> result;
  for (const double q : qs) {
    targets.push_back(weight_at(q));
    // The least and the greatest possible delay cannot be bounded.
    CdfLevels around{0, 1, false, false};
    Unbounded why = Unbounded::too_few_samples;
    if (q > 0 && q < 1) {
      const double samples = samples_at(buckets.histogram, moments_, q);
      const double effect = variance.effect(q);
      around = cdf_levels(effect > 1 ? samples / effect / widening : samples, q, confidence);
      if (std::pow(std::max(q, 1 - q), samples) <= (1 - confidence) / 2)
        why = Unbounded::too_few_flows;
      if (around.bounded_below && around.bounded_above) why = Unbounded::no;
      if (variance.too_few_flows()) {
        around = {0, 1, false, false};
        why = samples < FlowVariance::fewest_flows ? Unbounded::too_few_samples
                                                   : Unbounded::too_few_flows;
      }
    }
    targets.push_back((around.bounded_below ? around.low : 0) * total_weight());
    targets.push_back((around.bounded_above ? around.high : 1) * total_weight());
    result.push_back({{}, {{}, {}, around.bounded_below, around.bounded_above, why}});
  }

  const auto found = at_weights(buckets, targets);
  for (std::size_t i = 0; i < qs.size(); ++i) {
    QuantileEstimate& estimate = result[i];
    estimate.delay = found[3 * i];
    estimate.interval.low = std::min(found[3 * i + 1], found[3 * i]);
    estimate.interval.high = std::max(found[3 * i + 2], found[3 * i]);
    if (!logging_) widen_by_rounding(buckets.histogram, estimate);
  }
  return result;
}

/// A sample may be anywhere in its bucket.  If delays are smooth, that error and the sampling error
/// are independent, and the squared widths add up.  If one value is frequent, all of a bucket's
/// samples may be at its edge, so the interval ends there.  It never ends inside the bucket of its
/// quantile.
void Distribution::widen_by_rounding(const LogHistogram& histogram,
                                     QuantileEstimate& estimate) const {
  const std::int64_t delay = estimate.delay.count();
  const auto width = [&](std::int64_t end, auto edge_of) {
    const auto edge = [&](std::int64_t ns) { return edge_of(LogBuckets::index_of(ns)); };
    const double sampling = static_cast<double>(std::abs(end - delay)),
                 of_quantile = static_cast<double>(std::abs(edge(delay) - delay)),
                 of_end = static_cast<double>(std::abs(edge(end) - end));
    return is_smooth_at(histogram, LogBuckets::index_of(end))
               ? std::llround(std::hypot(sampling, std::max(of_quantile, of_end)))
               : std::llround(sampling + of_end);
  };
  const auto within = [&](std::int64_t ns) {
    return Duration{std::clamp(ns, moments_.min(), moments_.max())};
  };
  const Interval sampled = estimate.interval;
  estimate.interval.low = within(delay - width(sampled.low.count(), LogBuckets::lowest));
  estimate.interval.high = within(delay + width(sampled.high.count(), LogBuckets::highest));
}

std::optional<Interval> Distribution::mean_interval(double confidence) const {
  if (empty()) return std::nullopt;
  const double mean = moments_.mean();
  double spread = 0;  // sum of w^2 (delay - mean)^2
  const auto add_square = [&](double ns, double weight_squared) {
    spread += weight_squared * (ns - mean) * (ns - mean);
  };
  if (buckets_)
    buckets_->histogram.squares().for_each([&](std::int32_t bucket, double squares) {
      add_square((static_cast<double>(LogBuckets::lowest(bucket)) +
                  static_cast<double>(LogBuckets::highest(bucket))) /
                     2,
                 squares);
    });
  else
    log_.for_each([&](std::int64_t ns, double weight) {
      add_square(static_cast<double>(ns), weight * weight);
    });

  const double variance_of_samples = spread / (total_weight() * total_weight());
  std::optional<Buckets> scratch;
  const Buckets& buckets = this->buckets(scratch);
  const FlowVariance variance{buckets.histogram, buckets.flows};
  const double effect = variance.effect_on_mean(variance_of_samples);
  const double kish =
      total_weight() * total_weight() / moments_.total_squared_weight();  // 1965, section 11.7
  const double degrees = effect > 1 ? variance.degrees() : std::max(1.0, kish - 1);
  const double half = student_score(confidence, degrees) * std::sqrt(variance_of_samples * effect);
  Interval interval{Duration{std::llround(mean - half)}, Duration{std::llround(mean + half)}};
  if (count() == 1 || variance.too_few_flows()) {
    interval.bounded_below = interval.bounded_above = false;
    interval.why =
        kish < FlowVariance::fewest_flows ? Unbounded::too_few_samples : Unbounded::too_few_flows;
  }
  return interval;
}

double Distribution::fraction_up_to(Duration delay) const {
  if (empty()) return 0;
  if (delay.count() >= moments_.max()) return 1;
  if (delay.count() < moments_.min()) return 0;
  if (buckets_)
    return std::min(1.0, sum_up_to(buckets_->histogram.weights(), delay.count()) / total_weight());
  double sum = 0;
  log_.for_each([&](std::int64_t ns, double weight) { sum += ns <= delay.count() ? weight : 0; });
  return sum / total_weight();
}

std::vector<CdfPoint> Distribution::cdf() const {
  if (empty()) return {};
  std::optional<Buckets> scratch;
  std::vector<CdfPoint> points{{Duration{moments_.min()}, 0}};
  double sum = 0;
  buckets(scratch).histogram.weights().for_each([&](std::int32_t bucket, double weight) {
    sum += weight;
    const std::int64_t ns = std::clamp(LogBuckets::highest(bucket), moments_.min(), moments_.max());
    points.push_back({Duration{ns}, std::min(1.0, sum / total_weight())});
  });
  points.back().fraction = 1;
  return points;
}

DelaySnapshot Distribution::snapshot(std::span<const double> qs) const {
  DelaySnapshot result;
  if (empty()) return result;
  result.samples = count();
  result.min = *min();
  result.max = *max();
  result.mean = *mean();
  const auto delays = quantiles(qs);
  for (std::size_t i = 0; i < qs.size(); ++i) result.quantiles.push_back({qs[i], delays[i]});

  if (logging_) {
    std::vector<std::int64_t> levels;
    for (const Duration level : quantiles(std::array{0.1, 0.25, 0.5, 0.75, 0.9}))
      levels.push_back(level.count());
    result.serial_inflation = variance_inflation(log_, levels);
  }

  std::optional<Buckets> scratch;
  const Buckets& buckets = this->buckets(scratch);
  const LogHistogram& histogram = buckets.histogram;
  result.flows = buckets.flows;
  result.inflation =
      std::max(result.serial_inflation, FlowVariance{histogram, buckets.flows}.greatest_effect());
  histogram.weights().for_each(
      [&](std::int32_t index, double weight) { result.buckets.push_back({index, weight, 0}); });
  std::size_t next = 0;  // the squares occupy the same buckets, in the same order
  histogram.squares().for_each(
      [&](std::int32_t, double squares) { result.buckets[next++].squared_weight = squares; });
  return result;
}

}  // namespace sojourn
