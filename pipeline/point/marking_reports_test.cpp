#include "pipeline/point/marking_reports.h"

#include <gtest/gtest.h>

#include "ipfix/session.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp marks_began = timestamp_from_ns(1'700'000'000'000'000'000);

MarkingReportsOptions options_of(int exponent) {
  MarkingReportsOptions options{.point = {"north", 7},
                                .run = {.duty = "mark", .method = "step", .carrier = "dscp:0"},
                                .setup = {.method = MarkingMethod::step,
                                          .length = MarkingInterval{exponent},
                                          .carrier = *MarkingCarrier::parse("dscp:0"),
                                          .flows = {MarkingFilter{}}}};
  options.run.exponent = exponent;
  options.run.since = marks_began;
  return options;
}

MarkingReport interval_of(MarkingInterval length, Timestamp at, std::uint64_t packets) {
  MarkingReport report{
      .interval = length.at(at).interval, .read_at = at, .doubt = {}, .records = {}};
  MarkingRecord record{.length = length, .judged_by = length, .interval = report.interval};
  record.packets = packets;
  report.records.push_back(record);
  return report;
}

// What a spool is too small for is thrown away, and in the counters.
TEST(MarkingReports, EveryPacketIsInTheLedger) {
  auto spool = ipfix::Spool::open({.bytes = ipfix::Spool::least_bytes, .instance = 7});
  ASSERT_TRUE(spool) << spool.error().message;
  const auto options = options_of(0);
  MarkingReports reports{options, **spool};
  Timestamp now = marks_began;
  constexpr std::uint64_t intervals = 20'000;
  for (std::uint64_t i = 0; i < intervals; ++i, now += 1s) {
    reports.take(interval_of(options.setup.length, now, 10));
    EXPECT_TRUE(reports.advance(now, 3 * i));
  }
  reports.finish(now, 3 * intervals);
  const ipfix::SpoolSums discarded = (*spool)->counters().discarded;
  ipfix::Session session;
  PointReport report;
  for (const auto& message : ipfix::template_messages(options.writer, {}))
    session.decode(message, report);
  std::uint64_t packets = 0, records = 0;
  std::optional<PointCounters> last;
  bool ended = false;
  while (const auto message = (*spool)->next()) {
    EXPECT_TRUE(session.decode(*message, report).from_a_point);
    for (const MarkCount& count : report.marks) packets += count.packets;
    records += report.marks.size();
    if (report.counters) last = report.counters;
    if (last) {
      EXPECT_EQ(last->packets_seen, last->packets_selected + last->packets_not_selected);
      EXPECT_EQ(last->packets_selected,
                last->packets_exported + last->packets_spooled + last->packets_discarded);
    }
    ended = report.marking && report.marking->ended;
    (*spool)->sent({});
  }
  EXPECT_EQ(session.troubles().total(), 0u);
  EXPECT_TRUE(ended);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->packets_selected, 10 * intervals);
  EXPECT_EQ(last->packets_not_selected, 3 * intervals);
  EXPECT_GT(discarded.records, 0u);
  EXPECT_EQ(records + discarded.records, 2 * intervals);
  EXPECT_EQ(packets + discarded.packets, 10 * intervals);
}

TEST(MarkingReports, ShortIntervalsAreToldEverySecond) {
  auto spool = ipfix::Spool::open({.instance = 7});
  const auto options = options_of(-10);
  MarkingReports reports{options, **spool};
  int made = 0;
  for (Timestamp now = marks_began; now < marks_began + 10s; now += 1ms) {
    reports.take(interval_of(options.setup.length, now, 1));
    made += reports.advance(now, 0);
  }
  EXPECT_GE(made, 10);
  EXPECT_LE(made, 11);
}

}  // namespace
}  // namespace sojourn
