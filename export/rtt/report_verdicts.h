#pragma once
// What a report is judged by: rules, stored delays, the time before.

#include <string>
#include <vector>

#include "estimate/expectation.h"
#include "estimate/sla.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

/// The user's rules and expectations.
struct ReportRules {
  std::vector<SlaRule> sla = {};
  const Expectation* expectation = nullptr;  ///< borrowed; null if there is none
  std::string expectation_file = {};
  ExpectOptions expect_options = {};
  bool split = false;  ///< groups are compared before and after MeasurementOptions::split
};

/// Adds the verdicts to a report that has its measurement, kinds and `top`.  Groups are compared
/// with those of the expectation if both have the same grouping; then half of the false-alarm rate
/// is for the groups.
void add_verdicts(const ReportRules& rules, RttReport& report);

/// A rule is broken, or something has shifted against the expectation.  A change at the time of a
/// split breaks no rule.
bool breaks_a_promise(const RttReport& report);

}  // namespace sojourn
