#pragma once
// Reports of a live marking point for people and for programs, one interval at a time.

#include <string>
#include <string_view>

#include "dataplane/attachment.h"
#include "export/marking/marking_report_csv.h"

namespace sojourn {

/// "north marks at eth1, egress, tc: multiplexed in dscp:0, intervals of 1s", and the names of
/// columns.
std::string marking_heading(const MarkingReporter& who, std::string_view interface,
                            TcDirection direction, std::string_view how);
/// A line for each flow that had packets; one line if none had.
std::string marking_text(const MarkingReporter& who, const MarkingReport& report);
/// The same as JSON, one object a line.
std::string marking_json(const MarkingReporter& who, const MarkingReport& report);
/// What was left unmarked, at the end.
std::string left_alone_text(const MarkingReporter& who, const MarkingLeftAlone& left);

}  // namespace sojourn
