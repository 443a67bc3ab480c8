#pragma once
// Two captures without a common packet: what seems to be wrong with them?

#include <string>

#include "apps/oneway_companion.h"
#include "apps/oneway_request.h"
#include "pipeline/two_points.h"

namespace sojourn {

/// For a method that compared no packets: what the same packets at both points say against the
/// captures; empty if nothing.
std::string doubt_about(const OnewayRequest& request, const CommonPackets& common);

/// One line, found by reading both captures again and looking for common packets at any distance.
std::string diagnose(const OnewayRequest& request, const PointInput& first, const PointInput& last);

}  // namespace sojourn
