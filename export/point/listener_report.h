#pragma once
// What a collector's listener has heard, whom it refused, and what it could not read: while it
// runs, and at its end.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/json_values.h"
#include "ipfix/transport/listener.h"

namespace sojourn {

struct ListenerFigures {
  ipfix::ListenerCounters counters = {};
  std::size_t open_connections = 0;
};

using CountsByReason = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// Connections that were refused, or closed by us: each reason, also those that never occurred.
CountsByReason closed_connections(const ipfix::ListenerCounters& counters);
/// Messages, sets, templates and records that could not be read, likewise.
CountsByReason unreadable_parts(const ipfix::ListenerCounters& counters);

/// Reasons that never occurred are left out.
Json listener_json(const ListenerFigures& figures);
/// A line of what came, and one each for what was refused and what could not be read.
std::string listener_summary(const ListenerFigures& figures);

}  // namespace sojourn
