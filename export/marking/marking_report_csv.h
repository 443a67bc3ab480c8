#pragma once
// Reports of live marking points as CSV: written line by line, and read again to be joined.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "pipeline/marking/live_marking.h"
#include "pipeline/marking/marking_file.h"

namespace sojourn {

inline constexpr std::string_view marking_csv_header =
    "point,duty,marking,carrier,interval,clock_error_ns,since_ns,number,start_ns,read_ns,state,"
    "packets,pulses,pulse_ns,late_ns,early_ns,middle,contrary,other,marked_before,"
    "repeats,flow\n";

/// The point that reports.
struct MarkingReporter {
  std::string point;
  MarkingDuty duty = MarkingDuty::mark;
  MarkingSetup setup;
  std::optional<Duration> clock_error;  ///< if it is known
  Timestamp since;
  bool copies = false;  ///< it looks for duplicate packets
};
std::string_view name_of(MarkingDuty duty);

/// One line for the interval, without a flow, and one for each flow that had packets.
std::string marking_csv(const MarkingReporter& who, const MarkingReport& report);

/// Whether the file begins like this.
bool holds_marking(const std::string& path);
/// The error names the line and the wrong field.  An incomplete last line is ignored: the point may
/// still be writing it.
Result<MarkingPointFile> parse_marking_csv(std::string_view text);
Result<MarkingPointFile> read_marking_csv(const std::string& path);

}  // namespace sojourn
