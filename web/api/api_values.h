#pragma once
// Values that several answers have.

#include <array>
#include <optional>

#include "export/store/estimate_json.h"
#include "web/api/selection.h"

namespace sojourn::web {

/// When two times or groups differ: by more than this share, and who says so errs this often (in a
/// list of groups: once in so many lists).
inline constexpr double tolerance = 0.05, false_alarm = 0.001;

inline constexpr std::array shown_quantiles = {0.5, 0.95, 0.99};

inline Json seconds_or_null(const std::optional<Timestamp>& time) {
  return time ? Json(seconds_since_1970(*time)) : Json(nullptr);
}

/// Weight, effective samples, mean and quantiles with their intervals.
inline Json json_of(const Distribution& delays) {
  return {{"weight", number_or_null(delays.total_weight())},
          {"effective_samples", delays.effective_samples()},
          {"mean_ns", ns_or_null(delays.mean())},
          {"quantiles", quantiles_json(delays, shown_quantiles)}};
}

}  // namespace sojourn::web
