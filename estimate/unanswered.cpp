#include "estimate/unanswered.h"

#include <algorithm>
#include <cmath>

namespace sojourn {

namespace {

/// As many trials as there are samples, and one.
ShareEstimate estimate(double unanswered, std::uint64_t requests, std::uint64_t samples) {
  const auto trials = std::min(requests, samples + 1);
  const double value = unanswered / static_cast<double>(requests);
  ShareEstimate share = share_of(
      static_cast<std::uint64_t>(std::llround(value * static_cast<double>(trials))), trials);
  share.part = unanswered;
  share.whole = static_cast<double>(requests);
  share.value = value;
  share.low = std::min(share.low, share.value);
  share.high = std::max(share.high, share.value);
  return share;
}

}  // namespace

void RequestCounts::operator+=(const RequestCounts& other) {
  requests += other.requests;
  answers += other.answers;
  answered += other.answered;
}

ShareEstimate RequestCounts::unanswered(bool is_estimate) const {
  if (!is_estimate || requests == 0)
    return share_of(requests - std::min(answers, requests), requests);
  return estimate(std::max(static_cast<double>(requests) - answered, 0.0), requests, answers);
}

ShareEstimate unanswered_share(const Measurement& measurement, Kind kind) {
  const KindCounters& counters = measurement.counters(kind);
  if (counters.left_out.total() == 0)
    return share_of(measurement.unmatched_requests(kind), counters.requests);
  const Distribution& answered = measurement.pooled(kind);
  const double unanswered = counters.estimated_unanswered(answered.total_weight());
  return estimate(unanswered, counters.requests, answered.count());
}

}  // namespace sojourn
