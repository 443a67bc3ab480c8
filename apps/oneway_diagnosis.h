#pragma once
// Two captures without a common packet: what seems to be wrong with them?

#include <string>

#include "apps/oneway_request.h"
#include "pipeline/two_points.h"

namespace sojourn {

/// One line, found by reading both captures again and looking for common packets at any distance.
std::string diagnose(const OnewayRequest& request, const PointInput& first, const PointInput& last);

}  // namespace sojourn
