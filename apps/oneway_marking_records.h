#pragma once
// `sojourn oneway` on what live marking points wrote down.

#include "apps/oneway_request.h"
#include "core/result.h"

namespace sojourn {

/// Both files, and those of points between, joined into loss and delay per interval.
Result<int> measure_marking_records(const OnewayRequest& request);

}  // namespace sojourn
