#pragma once
// `sojourn oneway` with flow records in files: each router writes its own, and they are joined
// later.

#include <string>
#include <vector>

#include "apps/oneway_request.h"
#include "core/result.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// Does the file begin like one that --write-records made?  A file that cannot be read does not.
bool holds_records(const std::string& path);

/// The records of both files, joined by the chosen estimator, printed.  Gives the exit status.
Result<int> measure_records(const OnewayRequest& request);

/// `--write-records`: one capture, one file of records.
Result<int> write_records(const OnewayRequest& request);

/// What seems wrong with records that have nothing in common.
std::string diagnose_records(const OnewayRequest& request, const std::vector<FlowRecord>& first,
                             const std::vector<FlowRecord>& last);

}  // namespace sojourn
