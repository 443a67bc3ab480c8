#include "export/rtt/report_intervals.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'794'052'800'000'000'000);

/// Counted from the start of the run on.
RttReport total(std::uint64_t packets, std::uint64_t arp, std::uint64_t displaced) {
  RttReport report;
  report.input.packets = packets;
  report.input.bytes = 100 * packets;
  report.input.skipped = {{"arp", arp}, {"truncated", 3}};
  report.input.warnings = {"an interface is gone"};
  report.input.kernel_drops = 5;
  report.input.passed = packets + 5;
  report.table.counters = {{"displaced", displaced}};
  report.engine = EngineSummary{};
  report.engine->packets = packets;
  report.engine->missed = arp;
  report.engine->asked = 2 * packets;
  report.engine->turned_away = packets;
  report.engine->kernel_bytes = 4096;
  return report;
}

TEST(ReportIntervals, TheFirstHasWhatCameSinceTheStart) {
  ReportIntervals intervals{start};
  const RttReport first = intervals.since_last(total(10, 2, 1), start + 1s);
  ASSERT_TRUE(first.interval);
  EXPECT_EQ(first.interval->number, 1u);
  EXPECT_EQ(first.interval->start, start);
  EXPECT_EQ(first.interval->end, start + 1s);
  EXPECT_EQ(first.input.packets, 10u);
  EXPECT_EQ(first.input.skipped, (std::vector<NamedCount>{{"arp", 2}, {"truncated", 3}}));
}

TEST(ReportIntervals, EachHasWhatCameSinceTheLast) {
  ReportIntervals intervals{start};
  intervals.since_last(total(10, 2, 1), start + 1s);
  const RttReport second = intervals.since_last(total(25, 6, 1), start + 2s);
  EXPECT_EQ(second.interval->number, 2u);
  EXPECT_EQ(second.input.first, start + 1s);
  EXPECT_EQ(second.input.last, start + 2s);
  EXPECT_EQ(second.input.packets, 15u);
  EXPECT_EQ(second.input.bytes, 1'500u);
  EXPECT_EQ(second.input.skipped, (std::vector<NamedCount>{{"arp", 4}})) << "no zeros";
  EXPECT_EQ(second.table.counters, (std::vector<NamedCount>{{"displaced", 0}})) << "as they are";
  EXPECT_EQ(second.engine->packets, 15u);
  EXPECT_EQ(second.engine->missed, 4u);
  EXPECT_EQ(second.engine->asked, 30u);
  EXPECT_EQ(second.engine->turned_away, 15u);
  EXPECT_EQ(second.engine->kernel_bytes, 4'096u) << "no counter";
  EXPECT_EQ(second.input.kernel_drops, 0u) << "that is among those skipped";
  EXPECT_EQ(second.input.warnings.size(), 1u) << "those of the run so far";

  const RttReport third = intervals.since_last(total(26, 6, 4), start + 3s);
  EXPECT_EQ(third.input.packets, 1u);
  EXPECT_EQ(third.table.counters, (std::vector<NamedCount>{{"displaced", 3}}));
}

TEST(ReportIntervals, AClockThatStepsBackGivesAnEmptyInterval) {
  ReportIntervals intervals{start};
  const RttReport first = intervals.since_last(total(10, 0, 0), start - 5s);
  EXPECT_EQ(first.interval->start, start);
  EXPECT_EQ(first.interval->end, start);
  EXPECT_EQ(intervals.since_last(total(11, 0, 0), start + 1s).interval->start, start);
}

}  // namespace
}  // namespace sojourn
