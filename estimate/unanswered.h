#pragma once
// The share of requests that nobody answered.

#include "core/kind.h"
#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

/// Its interval takes requests for independent, each lost by its own chance.  In fixed memory it is
/// an estimate, with as many trials as there are samples.
ShareEstimate unanswered_share(const Measurement& measurement, Kind kind);

/// Requests of a group or a slice, and those of them that were answered.
struct RequestCounts {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;  ///< seen; answers that leave no sample, being ambiguous, included
  double answered = 0;        ///< their weights

  void operator+=(const RequestCounts& other);
  /// `is_estimate`: memory is fixed, so answers stand for others.
  ShareEstimate unanswered(bool is_estimate) const;
};

}  // namespace sojourn
