#pragma once
// Which groups a report shows, in the order of --sort.

#include <vector>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// `top` of them.  Sorted by change or loss, groups without such a value come last, those with the
/// most samples first.
std::vector<Measurement::Group> report_groups(const RttReport& report);

}  // namespace sojourn
