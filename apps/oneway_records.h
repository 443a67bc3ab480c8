#pragma once
// `sojourn oneway` with flow records in files: each router writes its own, and they are joined
// later.

#include "apps/oneway_request.h"
#include "core/result.h"

namespace sojourn {

/// The records of both files, joined by the chosen estimator, printed.  Gives the exit status.
Result<int> measure_records(const OnewayRequest& request);

/// `--write-records`: one capture, one file of records.
Result<int> write_records(const OnewayRequest& request);

}  // namespace sojourn
