#pragma once
// Values that several answers have.

#include <array>

#include "export/store/estimate_json.h"

namespace sojourn::web {

inline constexpr std::array shown_quantiles = {0.5, 0.95, 0.99};

/// Weight, effective samples, mean and quantiles with their intervals.
inline Json json_of(const Distribution& delays) {
  return {{"weight", number_or_null(delays.total_weight())},
          {"effective_samples", delays.effective_samples()},
          {"mean_ns", ns_or_null(delays.mean())},
          {"quantiles", quantiles_json(delays, shown_quantiles)}};
}

}  // namespace sojourn::web
