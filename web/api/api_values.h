#pragma once
// Values that several answers have.

#include <array>
#include <string>

#include "estimate/distribution/distribution.h"
#include "export/json_values.h"
#include "store/loss_estimate.h"

namespace sojourn::web {

inline constexpr std::array shown_quantiles = {0.5, 0.95, 0.99};

/// Null where what was seen cannot bound it.
inline Json interval_end(Duration end, bool bounded) {
  return bounded ? Json(to_ns(end)) : Json(nullptr);
}

inline Json json_of(const LossEstimate& loss) {
  return {{"sent", number_or_null(loss.sent)},
          {"arrived", number_or_null(loss.arrived)},
          {"unseen", number_or_null(loss.unseen)},
          {"share", loss.share},
          {"low", loss.low},
          {"high", loss.high}};
}

/// Weight, effective samples, mean and quantiles with their intervals.
inline Json json_of(const Distribution& delays) {
  Json list = Json::array();
  const auto estimates = delays.estimates(shown_quantiles);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Interval& interval = estimates[i].interval;
    list.push_back({{"q", shown_quantiles[i]},
                    {"delay_ns", to_ns(estimates[i].delay)},
                    {"low_ns", interval_end(interval.low, interval.bounded_below)},
                    {"high_ns", interval_end(interval.high, interval.bounded_above)}});
  }
  return {{"weight", number_or_null(delays.total_weight())},
          {"effective_samples", delays.effective_samples()},
          {"mean_ns", ns_or_null(delays.mean())},
          {"quantiles", list}};
}

}  // namespace sojourn::web
