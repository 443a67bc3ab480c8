#pragma once
// Estimates from a store in JSON, for `sojourn query` and the page's API.

#include <span>

#include "estimate/distribution/distribution.h"
#include "export/json_values.h"
#include "store/loss_estimate.h"

namespace sojourn {

inline Json json_of(const LossEstimate& loss) {
  return {{"sent", number_or_null(loss.sent)},
          {"arrived", number_or_null(loss.arrived)},
          {"unseen", number_or_null(loss.unseen)},
          {"share", loss.share},
          {"low", loss.low},
          {"high", loss.high}};
}

/// A list of {"q", "delay_ns", "low_ns", "high_ns"}.
inline Json quantiles_json(const Distribution& delays, std::span<const double> quantiles) {
  Json list = Json::array();
  const auto estimates = delays.estimates(quantiles);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Interval& interval = estimates[i].interval;
    list.push_back({{"q", quantiles[i]},
                    {"delay_ns", to_ns(estimates[i].delay)},
                    {"low_ns", interval_end(interval.low, interval.bounded_below)},
                    {"high_ns", interval_end(interval.high, interval.bounded_above)}});
  }
  return list;
}

}  // namespace sojourn
