#pragma once
// Counts of marking points in ClickHouse.

#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "store/clickhouse/server.h"
#include "store/marks/mark_count.h"

namespace sojourn::clickhouse {

Result<void> send_marks(const Server& server, std::span<const PointMarks> all);
Result<std::vector<PointMarks>> read_marks(const Server& server, const std::string& point,
                                           Timestamp from, Timestamp to);

}  // namespace sojourn::clickhouse
