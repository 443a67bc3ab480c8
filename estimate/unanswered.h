#pragma once
// The share of requests that nobody answered.

#include "core/kind.h"
#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

/// Its interval takes requests for independent, each lost by its own chance.  In fixed memory it is
/// an estimate, with as many trials as there are samples.
ShareEstimate unanswered_share(const Measurement& measurement, Kind kind);

}  // namespace sojourn
