#pragma once
// What `sojourn oneway` prints, whether it measured on packets or on flow records.

#include "apps/oneway_request.h"
#include "core/result.h"
#include "export/oneway/oneway_report.h"

namespace sojourn {

/// All but what only the captures know.
OnewayReport report_of(const OnewayRequest& request, const OnewayMeasurement& measured);

/// All that was asked for: the CSV of flows, the plot, and text or JSON.
Result<void> print_oneway(const OnewayRequest& request, const OnewayReport& report);

}  // namespace sojourn
