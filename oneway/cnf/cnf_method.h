#pragma once
// Methods "endpoint", "multiflow", "hybrid" and "nearby": flow records of both points, associated.

#include <cstdint>
#include <memory>
#include <span>

#include "oneway/cnf/flow_cache.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/method.h"

namespace sojourn {

enum class CnfEstimator : std::uint8_t { endpoint, multiflow, hybrid, nearby };

struct CnfOptions {
  CnfEstimator estimator = CnfEstimator::multiflow;
  FlowCache::Options cache = {.memory_bytes = std::size_t{64} << 20};
  double drop_outliers = 0;  ///< share of the largest delays that is discarded
  std::uint64_t hybrid_threshold = 4;
};

/// The collector: it associates the records of both points by their labels, and each flow gets its
/// delay from the estimator.  `packets` of a flow are the selected ones; several records of a flow
/// are weighted by them.
OnewayResult cnf_result(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                        const OnewayOptions& options, const CnfOptions& cnf);

/// Both points and the collector in one: a flow cache for the selected packets at each point, and
/// at the end `cnf_result` of what they exported.
std::unique_ptr<OnewayMethod> make_cnf(const OnewayOptions& options, const CnfOptions& cnf);

}  // namespace sojourn
