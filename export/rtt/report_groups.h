#pragma once
// Which groups a report shows, in the order that --sort asks for.

#include <vector>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// `top` of them.  By change and by loss, groups of which nothing is known of that kind come behind
/// the others, those with the most samples first.
std::vector<Measurement::Group> report_groups(const RttReport& report);

}  // namespace sojourn
