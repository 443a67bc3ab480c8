#pragma once
// Flow records as CSV: what a point hands to a collector when there is no network between them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

inline constexpr std::string_view record_csv_header =
    "protocol,source,source_port,destination,destination_port,packets,bytes,first_ns,last_ns,"
    "first_label,last_label,tcp_flags,expiry\n";

std::string records_as_csv(std::span<const FlowRecord> records);

/// The whole file's text.  The error names the line and the field that is wrong.
Result<std::vector<FlowRecord>> records_from_csv(std::string_view text);

}  // namespace sojourn
