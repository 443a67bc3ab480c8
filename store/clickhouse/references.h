#pragma once
// Delays by reference packets in ClickHouse.

#include <span>

#include "core/result.h"
#include "store/clickhouse/server.h"
#include "store/references/reference_visitor.h"

namespace sojourn::clickhouse {

Result<void> send_references(const Server& server, std::span<const PointReferences> all);
Result<void> read_references(const Server& server, const ReferenceQuestion& question,
                             const ReferenceVisitor& visit);

}  // namespace sojourn::clickhouse
