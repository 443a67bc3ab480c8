#include "estimate/unanswered.h"

#include <algorithm>
#include <cmath>

namespace sojourn {

ShareEstimate unanswered_share(const Measurement& measurement, Kind kind) {
  const KindCounters& counters = measurement.counters(kind);
  if (counters.left_out.total() == 0)
    return share_of(measurement.unmatched_requests(kind), counters.requests);
  const Distribution& answered = measurement.pooled(kind);
  const double unanswered = counters.estimated_unanswered(answered.total_weight());
  const double requests = static_cast<double>(counters.requests);
  const auto trials = std::min(counters.requests, answered.count() + 1);
  ShareEstimate share = share_of(
      static_cast<std::uint64_t>(std::llround(unanswered / requests * static_cast<double>(trials))),
      trials);
  share.part = unanswered;
  share.whole = requests;
  share.value = unanswered / requests;
  share.low = std::min(share.low, share.value);
  share.high = std::max(share.high, share.value);
  return share;
}

}  // namespace sojourn
