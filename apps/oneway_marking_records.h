#pragma once
// `sojourn oneway` on what live marking points wrote down.

#include <vector>

#include "apps/oneway_outputs.h"
#include "apps/oneway_request.h"
#include "core/result.h"
#include "pipeline/marking/marking_file.h"

namespace sojourn {

/// Both files, and those of points between, joined into loss and delay per interval.
Result<int> measure_marking_records(const OnewayRequest& request);
/// The same of records that were read elsewhere, in the order of the path; `first` and `last` of
/// the request are the names to print.
Result<int> measure_marking_records(const OnewayRequest& request,
                                    const std::vector<MarkingPointFile>& files,
                                    OnewayOutputs outputs);

}  // namespace sojourn
