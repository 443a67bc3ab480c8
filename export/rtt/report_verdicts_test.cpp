#include "export/rtt/report_verdicts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "export/rtt/test_example_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// ExampleReport without the rules that it comes with.
struct Unjudged : ExampleReport {
  Unjudged() { report.sla.clear(); }
};

Expectation saved(const Measurement& measurement, bool with_groups) {
  Expectation expectation = take_expectation(measurement, KindSet::all());
  if (with_groups) take_groups(measurement, KindSet::all(), expectation);
  expectation.first = ExampleReport::start;
  return expectation;
}

TEST(ReportVerdicts, NothingPromisedNothingBroken) {
  Unjudged example;
  add_verdicts({}, example.report);
  EXPECT_TRUE(example.report.sla.empty());
  EXPECT_FALSE(example.report.expect);
  EXPECT_FALSE(example.report.changes);
  EXPECT_FALSE(breaks_a_promise(example.report));
}

TEST(ReportVerdicts, RulesAreAboutTheWholeOrEachGroup) {
  Unjudged met;
  add_verdicts({.sla = {*SlaRule::parse("tcp p95 < 50ms")}}, met.report);
  EXPECT_EQ(met.report.sla.size(), 2u) << "two legs";
  EXPECT_FALSE(breaks_a_promise(met.report));

  Unjudged whole;
  add_verdicts({.sla = {*SlaRule::parse("tcp.server median < 5ms")}}, whole.report);
  EXPECT_EQ(whole.report.sla.size(), 1u);
  EXPECT_TRUE(breaks_a_promise(whole.report));

  Unjudged each;
  add_verdicts({.sla = {*SlaRule::parse("each tcp p50 < 1ms")}}, each.report);
  EXPECT_TRUE(each.report.sla.empty());
  ASSERT_EQ(each.report.sla_groups.size(), 1u);
  EXPECT_TRUE(breaks_a_promise(each.report));
}

TEST(ReportVerdicts, GroupsTakeHalfOfTheFalseAlarms) {
  Unjudged example;
  const Expectation same = saved(example.measurement, true);
  add_verdicts({.expectation = &same,
                .expectation_file = "usual.json",
                .expect_options = {.false_alarm = 0.01}},
               example.report);
  ASSERT_TRUE(example.report.expect && example.report.changes);
  EXPECT_EQ(example.report.expect->file, "usual.json");
  EXPECT_EQ(example.report.expect->first, ExampleReport::start);
  EXPECT_DOUBLE_EQ(example.report.expect->comparison.options.false_alarm, 0.005);
  EXPECT_DOUBLE_EQ(example.report.changes->options.false_alarm, 0.005);
  EXPECT_FALSE(breaks_a_promise(example.report));
}

TEST(ReportVerdicts, SaysIfTheFileHasNoGroups) {
  Unjudged example;
  const std::size_t warnings = example.report.input.warnings.size();
  const Expectation same = saved(example.measurement, false);
  add_verdicts({.expectation = &same,
                .expectation_file = "usual.json",
                .expect_options = {.false_alarm = 0.01}},
               example.report);
  EXPECT_FALSE(example.report.changes);
  ASSERT_EQ(example.report.input.warnings.size(), warnings + 1);
  EXPECT_EQ(example.report.input.warnings.back(),
            "usual.json has no groups to compare with: it was saved without --by");
  ASSERT_TRUE(example.report.expect);
  EXPECT_DOUBLE_EQ(example.report.expect->comparison.options.false_alarm, 0.01);
}

TEST(ReportVerdicts, ComparesOnlyKindsThatWereAskedFor) {
  Unjudged example;
  example.report.kinds = KindSet::none();
  example.report.kinds.add(Kind::tcp);
  const Expectation same = saved(example.measurement, false);
  add_verdicts({.expectation = &same}, example.report);
  ASSERT_TRUE(example.report.expect);
  for (const ExpectResult& result : example.report.expect->comparison.results)
    EXPECT_EQ(result.kind, Kind::tcp);
  EXPECT_EQ(example.report.expect->comparison.results.size(), 2u);
}

/// Independent samples around this delay.
Measurement samples_around(Duration delay) {
  Measurement measurement;
  for (int i = 0; i < 500; ++i)
    measurement.add_light(Kind::tcp, Leg::server, {}, delay + i * 37 % 100 * 1us);
  return measurement;
}

TEST(ReportVerdicts, AShiftBreaksThePromise) {
  const Measurement now = samples_around(20ms);
  for (const auto& [before, shifted] : {std::pair{20ms, false}, std::pair{10ms, true}}) {
    const Expectation expected = saved(samples_around(before), false);
    RttReport report;
    report.measurement = &now;
    add_verdicts({.expectation = &expected}, report);
    EXPECT_EQ(breaks_a_promise(report), shifted) << before.count();
  }
}

}  // namespace
}  // namespace sojourn
