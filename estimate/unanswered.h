#pragma once
// The share of unanswered requests.

#include "core/kind.h"
#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

/// Its interval assumes that requests are lost independently.  With fixed memory it is an estimate
/// by the weights of answers: share_besides().
ShareEstimate unanswered_share(const Measurement& measurement, Kind kind);

/// Requests of a group or a slice, and those of them that were answered.
struct RequestCounts {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;  ///< seen, including ambiguous answers, which give no sample
  double answered = 0;        ///< their weights
  double squares = 0;         ///< of the weights

  void operator+=(const RequestCounts& other);
  double weight() const { return answered > 0 ? squares / answered : 0; }
  /// `is_estimate`: memory is fixed, so answers represent others.  `usual_weight`: of all answers.
  ShareEstimate unanswered(bool is_estimate, double usual_weight = 0) const;
};

}  // namespace sojourn
