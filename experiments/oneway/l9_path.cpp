#include "experiments/oneway/l9_path.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

constexpr std::int64_t lost = INT64_MIN;
constexpr std::size_t kept_under_way = 1 << 16;

}  // namespace

MarkedPath::MarkedPath(MarkingMethod method, MarkingInterval length, PathClock clock,
                       Duration clock_error)
    : method_(method),
      length_(length),
      next_length_(length),
      clock_(clock),
      options_{method, clock_error},
      first_(method, MarkingRole::initiating, length, 1),
      last_(method, MarkingRole::observing, length, 1) {
  under_way_.reserve(2 * kept_under_way);
}

Timestamp MarkedPath::seen_by_last(std::int64_t true_ns) const {
  const double off = clock_.offset_ns + clock_.drift * static_cast<double>(true_ns);
  return timestamp_from_ns(true_ns + static_cast<std::int64_t>(off));
}

void MarkedPath::change_interval(MarkingInterval length, Timestamp now) {
  change_at_ = first_.change_interval(length, now, one_.records);
  last_.change_interval(length, now, other_.records);
  next_length_ = length;
}

void MarkedPath::send(std::int64_t sent_ns, std::optional<std::int64_t> delay_ns) {
  const Timestamp sent = timestamp_from_ns(sent_ns);
  const MarkingInterval length = sent >= change_at_ ? next_length_ : length_;
  const MarkingMoment moment = length.at(sent);
  if (const std::pair key{length.exponent(), moment.interval}; !current_ || key != current_key_) {
    current_ = &truth_[key];
    current_key_ = key;
    has_pulse_ = false;
  }
  ++current_->sent;
  current_->lost += !delay_ns;
  // The pulse by its definition: the first packet of the third quarter.
  if (measures_delay(method_) && moment.quarter() == 2 && !has_pulse_) {
    has_pulse_ = true;
    if (delay_ns) current_->pulse_delay_ns = to_ns(seen_by_last(sent_ns + *delay_ns)) - sent_ns;
  }
  events_[waiting_] = {sent, 0};
  arrivals_ns_[waiting_] = delay_ns ? sent_ns + *delay_ns : lost;
  latest_ns_ = std::max(latest_ns_, sent_ns + delay_ns.value_or(0));
  if (++waiting_ == events_.size()) flush_first();
}

void MarkedPath::flush_first() {
  const std::size_t closed = first_.process({events_.data(), waiting_}, closed_);
  one_.records.insert(one_.records.end(), closed_.begin(),
                      closed_.begin() + static_cast<std::ptrdiff_t>(closed));
  for (std::size_t i = 0; i < waiting_; ++i)
    if (arrivals_ns_[i] != lost) under_way_.push_back({arrivals_ns_[i], events_[i].mark});
  waiting_ = 0;
  // Packets sent later may still overtake the newer half, but not the older one.
  if (under_way_.size() >= 2 * kept_under_way) arrive(kept_under_way);
}

void MarkedPath::arrive(std::size_t count) {
  if (!std::ranges::is_sorted(under_way_, {}, &Arrival::time_ns))
    std::ranges::sort(under_way_, {}, &Arrival::time_ns);
  std::array<MarkingEvent, MarkingPoint::max_batch> batch;
  for (std::size_t from = 0; from < count; from += batch.size()) {
    const std::size_t size = std::min(batch.size(), count - from);
    for (std::size_t i = 0; i < size; ++i)
      batch[i] = {seen_by_last(under_way_[from + i].time_ns), 0, under_way_[from + i].mark};
    const std::size_t closed = last_.process({batch.data(), size}, closed_);
    other_.records.insert(other_.records.end(), closed_.begin(),
                          closed_.begin() + static_cast<std::ptrdiff_t>(closed));
  }
  under_way_.erase(under_way_.begin(), under_way_.begin() + static_cast<std::ptrdiff_t>(count));
}

const std::vector<MarkingResult>& MarkedPath::finish() {
  flush_first();
  arrive(under_way_.size());
  // Both points are active long before and long after.
  const std::int64_t long_after =
      latest_ns_ + 4 * std::max(to_ns(length_.length()), to_ns(next_length_.length()));
  one_.span = {timestamp_from_ns(0), timestamp_from_ns(long_after)};
  other_.span = {timestamp_from_ns(0), seen_by_last(long_after)};
  first_.read_all(one_.span.until, one_.records);
  last_.read_all(other_.span.until, other_.records);
  results_ = collect(options_, one_, other_);
  return results_;
}

const PathTruth* MarkedPath::truth(const MarkingResult& result) const {
  const auto found = truth_.find({result.length.exponent(), result.interval});
  return found == truth_.end() ? nullptr : &found->second;
}

PathScore MarkedPath::score() const {
  PathScore score;
  score.intervals = truth_.size();
  for (const MarkingResult& result : results_) {
    const PathTruth* const known = truth(result);
    if (result.lost) {
      ++score.losses;
      score.sent += result.sent;
      score.lost += *result.lost;
      const std::uint64_t right = known ? known->lost : 0;
      score.loss_error = std::max(
          score.loss_error, *result.lost > right ? *result.lost - right : right - *result.lost);
    }
    if (result.delay) {
      ++score.delays;
      score.delay_sum_ns += static_cast<double>(to_ns(*result.delay));
      const std::int64_t error = known && known->pulse_delay_ns
                                     ? std::abs(to_ns(*result.delay) - *known->pulse_delay_ns)
                                     : INT64_MAX;
      score.delay_error_ns = std::max(score.delay_error_ns, error);
    }
  }
  return score;
}

}  // namespace sojourn
