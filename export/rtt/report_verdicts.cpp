#include "export/rtt/report_verdicts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sojourn {
namespace {

void judge_rules(const std::vector<SlaRule>& rules, RttReport& report) {
  for (const SlaRule& rule : rules)
    if (rule.each_group())
      report.sla_groups.push_back(
          evaluate_groups(rule, *report.measurement, report.top, report.loss));
    else
      std::ranges::move(rule.evaluate(*report.measurement, report.loss),
                        std::back_inserter(report.sla));
}

void hold_against(const Expectation& expectation, const ReportRules& rules, RttReport& report) {
  const Measurement& measurement = *report.measurement;
  ExpectOptions options = rules.expect_options;
  if (measurement.grouping() && !expectation.grouping.empty()) {
    options.false_alarm /= 2;  // for the groups, and as much for all else
    report.changes = compare_groups(expectation, measurement, report.kinds, options, report.top);
  } else if (measurement.grouping()) {
    report.input.warnings.push_back(rules.expectation_file +
                                    " has no groups to compare with: it was saved without --by");
  }
  Expectation asked_for = expectation;
  std::erase_if(asked_for.parts,
                [&](const Expectation::Part& part) { return !report.kinds.has(part.kind); });
  report.expect = {rules.expectation_file, expectation.first, expectation.last,
                   compare(asked_for, take_expectation(measurement, report.kinds), options)};
}

}  // namespace

void add_verdicts(const ReportRules& rules, RttReport& report) {
  judge_rules(rules.sla, report);
  if (rules.expectation) hold_against(*rules.expectation, rules, report);
  if (rules.split)
    report.changes = compare_groups(*report.measurement, rules.expect_options, report.top);
}

bool breaks_a_promise(const RttReport& report) {
  return std::ranges::any_of(report.sla, &SlaResult::broken) ||
         std::ranges::any_of(report.sla_groups, &SlaGroups::broken) ||
         (report.expect && report.expect->comparison.shifted()) ||
         (report.expect && report.changes && !report.changes->at && report.changes->any_changed());
}

}  // namespace sojourn
