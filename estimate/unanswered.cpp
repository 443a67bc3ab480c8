#include "estimate/unanswered.h"

#include <algorithm>
#include <array>

namespace sojourn {

void RequestCounts::operator+=(const RequestCounts& other) {
  requests += other.requests;
  answers += other.answers;
  answered += other.answered;
  squares += other.squares;
}

ShareEstimate RequestCounts::unanswered(bool is_estimate, double usual_weight) const {
  if (is_estimate)
    return share_besides(static_cast<double>(requests), answered, squares, usual_weight);
  return share_of(requests - std::min(answers, requests), requests);
}

ShareEstimate unanswered_share(const Measurement& measurement, Kind kind) {
  const KindCounters& counters = measurement.counters(kind);
  const std::uint64_t left_out = counters.left_out.total();
  if (left_out == 0) return share_of(measurement.unmatched_requests(kind), counters.requests);
  const double requests = static_cast<double>(counters.requests);
  const Distribution& samples = measurement.pooled(kind);
  const double answered = measurement.estimated_answered(kind);
  // Requests without a sample are assumed to weigh as much as those with one; if there are none, as
  // much as a request that was seen through.
  double weight = 0;
  if (!samples.empty())
    weight = samples.snapshot(std::array{0.5}).total_squared_weight() / samples.total_weight();
  else if (left_out < counters.requests)
    weight = requests / static_cast<double>(counters.requests - left_out);
  return share_besides(requests, answered, weight * answered, weight);
}

}  // namespace sojourn
