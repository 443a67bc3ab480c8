#include "estimate/distribution/distribution.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "estimate/distribution/order_ranks.h"
#include "estimate/distribution/select_quantiles.h"
#include "estimate/distribution/serial_dependence.h"

namespace sojourn {
namespace {

/// Sum over the buckets up to `ns`; of the bucket it falls into, the share below it.
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

}  // namespace

void Distribution::start_histogram() {
  histogram_ = std::make_unique<LogHistogram>();
  log_.for_each([this](std::int64_t ns, double weight) { histogram_->add(ns, weight); });
}

/// Before one more sample than the log has room for.
void Distribution::make_room() {
  if (!histogram_ && log_.size() >= few_samples) start_histogram();
  limit_log();
  if (logging_) log_.grow();
}

void Distribution::limit_log() {
  if (log_.size() < (keep_ == Keep::every_sample ? most_samples : few_samples)) return;
  logging_ = false;
  log_.clear();
}

void Distribution::add_all(std::span<const std::int64_t> delays_ns) {
  while (!delays_ns.empty()) {
    if (logging_ && log_.full()) make_room();
    const auto piece =
        logging_ ? delays_ns.first(std::min(delays_ns.size(), log_.room())) : delays_ns;
    if (logging_) log_.append_plain(piece);
    if (histogram_) histogram_->add_plain(piece);
    moments_.add_plain(piece);
    delays_ns = delays_ns.subspan(piece.size());
  }
}

void Distribution::merge(const Distribution& other) {
  if (other.empty()) return;
  moments_.merge(other.moments_);
  if (!histogram_ && (other.histogram_ || log_.size() + other.log_.size() > few_samples))
    start_histogram();
  if (histogram_ && other.histogram_)
    histogram_->merge(*other.histogram_);
  else if (histogram_)
    other.log_.for_each([this](std::int64_t ns, double weight) { histogram_->add(ns, weight); });

  logging_ = logging_ && other.logging_;
  if (!logging_) return log_.clear();
  log_.append_all(other.log_);
  if (histogram_) limit_log();
}

double Distribution::effective_samples() const {
  if (empty()) return 0;
  return moments_.total_weight() * moments_.total_weight() / moments_.total_squared_weight();
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

/// The histogram; of few samples it is made for the occasion.
const LogHistogram& Distribution::buckets(std::optional<LogHistogram>& scratch) const {
  if (histogram_) return *histogram_;
  scratch.emplace();
  log_.for_each([&scratch](std::int64_t ns, double weight) { scratch->add(ns, weight); });
  return *scratch;
}

std::vector<Duration> Distribution::quantiles(std::span<const double> qs) const {
  if (empty()) return {};
  std::vector<std::size_t> order(qs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return qs[i]; });
  std::vector<double> targets;
  for (const std::size_t i : order) {
    assert(qs[i] >= 0 && qs[i] <= 1);
    targets.push_back(qs[i] * total_weight());
  }

  std::optional<LogHistogram> scratch;
  const LogHistogram& histogram = buckets(scratch);
  const auto found =
      logging_ ? select_exactly(log_, histogram, targets) : select_from_buckets(histogram, targets);

  std::vector<Duration> result(qs.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    result[order[i]] = Duration{std::clamp(found[i], moments_.min(), moments_.max())};
  return result;
}

std::optional<Interval> Distribution::interval(double q, double confidence) const {
  const auto found = estimates({&q, 1}, confidence);
  return found.empty() ? std::nullopt : std::optional{found.front().interval};
}

/// Woodruff's interval goes through the variance of F at the quantile t,
///
///     var F(t) = ( (1-q)^2 sum_{delay <= t} w^2 + q^2 sum_{delay > t} w^2 ) / (sum w)^2,
///
/// which is q(1-q)/effective_samples() when weights do not depend on the delay.  A table's weights
/// do: long delays are rarer to catch and weigh more.  So the sample size that would give this
/// variance is computed at each q, and its order statistics are read off the weighted CDF.
double Distribution::samples_at(double q, Duration delay) const {
  std::optional<LogHistogram> scratch;
  const LogHistogram& histogram = buckets(scratch);
  const double all = moments_.total_squared_weight();
  const double below = std::min(sum_up_to(histogram.squares(), delay.count()), all);
  const double sum = (1 - q) * (1 - q) * below + q * q * (all - below);
  return q * (1 - q) * total_weight() * total_weight() / sum;
}

std::vector<QuantileEstimate> Distribution::estimates(std::span<const double> qs,
                                                      double confidence) const {
  if (empty()) return {};
  // With equal weights the levels do not depend on the delays, and one pass finds everything.
  const bool equal_weights = moments_.all_weights_are_one();
  std::vector<Duration> middles;
  if (!equal_weights) middles = quantiles(qs);

  std::vector<double> wanted(qs.begin(), qs.end());
  std::vector<QuantileEstimate> result;
  for (std::size_t i = 0; i < qs.size(); ++i) {
    const double q = qs[i];
    CdfLevels around{q, q, false,
                     false};  // the least and the greatest possible delay cannot be bounded
    if (q > 0 && q < 1)
      around = cdf_levels(equal_weights ? static_cast<double>(count()) : samples_at(q, middles[i]),
                          q, confidence);
    wanted.push_back(around.low);
    wanted.push_back(around.high);
    result.push_back({{}, {{}, {}, around.bounded_below, around.bounded_above}});
  }

  const auto found = quantiles(wanted);
  for (std::size_t i = 0; i < qs.size(); ++i) {
    QuantileEstimate& estimate = result[i];
    estimate.delay = found[i];
    estimate.interval.low = std::min(found[qs.size() + 2 * i], found[i]);
    estimate.interval.high = std::max(found[qs.size() + 2 * i + 1], found[i]);
  }
  return result;
}

std::optional<Interval> Distribution::mean_interval(double confidence) const {
  if (empty()) return std::nullopt;
  const double mean = moments_.mean();
  double spread = 0;  // sum of w^2 (delay - mean)^2
  const auto add_square = [&](double ns, double weight_squared) {
    spread += weight_squared * (ns - mean) * (ns - mean);
  };
  if (histogram_)
    histogram_->squares().for_each([&](std::int32_t bucket, double squares) {
      add_square((static_cast<double>(LogBuckets::lowest(bucket)) +
                  static_cast<double>(LogBuckets::highest(bucket))) /
                     2,
                 squares);
    });
  else
    log_.for_each([&](std::int64_t ns, double weight) {
      add_square(static_cast<double>(ns), weight * weight);
    });

  // The first term of Student's t around the normal score, for few samples.
  const double z = normal_score(confidence);
  const double score = z * (1 + (z * z + 1) / (4 * std::max(1.0, effective_samples() - 1)));
  const double half = score * std::sqrt(spread) / total_weight();
  const bool bounded = count() > 1;
  return Interval{Duration{std::llround(mean - half)}, Duration{std::llround(mean + half)}, bounded,
                  bounded};
}

double Distribution::fraction_up_to(Duration delay) const {
  if (empty()) return 0;
  if (delay.count() >= moments_.max()) return 1;
  if (delay.count() < moments_.min()) return 0;
  if (histogram_)
    return std::min(1.0, sum_up_to(histogram_->weights(), delay.count()) / total_weight());
  double sum = 0;
  log_.for_each([&](std::int64_t ns, double weight) { sum += ns <= delay.count() ? weight : 0; });
  return sum / total_weight();
}

std::vector<CdfPoint> Distribution::cdf() const {
  if (empty()) return {};
  std::optional<LogHistogram> scratch;
  std::vector<CdfPoint> points{{Duration{moments_.min()}, 0}};
  double sum = 0;
  buckets(scratch).weights().for_each([&](std::int32_t bucket, double weight) {
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
    result.inflation = variance_inflation(log_, levels);
  }

  std::optional<LogHistogram> scratch;
  const LogHistogram& histogram = buckets(scratch);
  histogram.weights().for_each(
      [&](std::int32_t index, double weight) { result.buckets.push_back({index, weight, 0}); });
  std::size_t next = 0;  // the squares occupy the same buckets, in the same order
  histogram.squares().for_each(
      [&](std::int32_t, double squares) { result.buckets[next++].squared_weight = squares; });
  return result;
}

}  // namespace sojourn
