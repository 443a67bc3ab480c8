#pragma once
// A flow as people read it.

#include <string>

#include "core/flow_key.h"

namespace sojourn {

/// "udp 192.0.2.1:5000 > 192.0.2.2:53"; ports of 0 are left out.
std::string flow_name(const FlowKey& key);

}  // namespace sojourn
