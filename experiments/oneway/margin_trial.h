#pragma once
// For how many flows the truth is within the margin that `sojourn oneway` prints.

#include <cstdint>
#include <vector>

#include "experiments/oneway/margin_traffic.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/flow_delay.h"
#include "oneway/rli/rli_receiver.h"

namespace sojourn {

struct MarginTrial {
  std::size_t flows = 0;     ///< with a margin, unless it is zero because all packets are known
  double covered = 0;        ///< share whose truth lies within
  double median_margin = 0;  ///< relative to the true mean
  double median_error = 0;   ///< likewise
  std::vector<double> errors_by_margin = {};  ///< |error| / margin of each flow, sorted

  /// What `covered` would be if every margin were `factor` times as wide.
  double covered_by(double factor) const;
};

/// How the points select packets.
struct MarginSampling {
  double share = 1;
  bool flows = false;
};

MarginTrial try_cnf_margins(const MarginTraffic& traffic, CnfEstimator estimator,
                            const MarginSampling& sampling, std::uint64_t seed);

/// A reference packet ahead of every `every` packets.
MarginTrial try_rli_margins(const MarginTraffic& traffic, RliEstimator estimator,
                            std::uint32_t every);

}  // namespace sojourn
