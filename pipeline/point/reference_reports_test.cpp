#include <gtest/gtest.h>

#include "ipfix/session.h"
#include "pipeline/point/run_reports.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp references_began = timestamp_from_ns(1'700'000'000'000'000'000);

ReferenceInterval interval_at(Timestamp begin, Duration length, std::size_t flows) {
  ReferenceInterval interval;
  interval.begin = begin;
  interval.end = begin + length;
  interval.seen = ReferenceSeen{.references = 5, .no_room = 2, .unread = 1};
  interval.flows.resize(flows);
  for (std::size_t i = 0; i < flows; ++i)
    interval.flows[i] = {.key = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"),
                                 static_cast<std::uint16_t>(i), 9, 17},
                         .packets = 10,
                         .estimated = 9,
                         .mean_ns = 1e6,
                         .deviation_ns = 1e3};
  return interval;
}

// What a spool is too small for is thrown away, and in the counters.
TEST(ReferenceReports, EveryPacketIsInTheLedger) {
  auto spool = ipfix::Spool::open({.bytes = ipfix::Spool::least_bytes, .instance = 7});
  ASSERT_TRUE(spool) << spool.error().message;
  const ReferenceRun run{.since = references_began, .every = 10s};
  ReferenceReports reports{{"north", 7}, run, {}, **spool};
  Timestamp now = references_began;
  constexpr std::uint64_t intervals = 100, flows = 600;
  for (std::uint64_t i = 0; i < intervals; ++i, now += 10s) {
    reports.take(interval_at(now, 10s, flows));
    EXPECT_TRUE(reports.advance(now, 3 * (i + 1)));
  }
  reports.finish(now, 3 * intervals);
  const ipfix::SpoolSums discarded = (*spool)->counters().discarded;
  ipfix::Session session;
  PointReport report;
  for (const auto& message : ipfix::template_messages({}, {})) session.decode(message, report);
  std::uint64_t packets = 0, records = 0;
  std::optional<PointCounters> last;
  bool ended = false;
  while (const auto message = (*spool)->next()) {
    EXPECT_TRUE(session.decode(*message, report).from_a_point);
    for (const ReferenceInterval& interval : report.references) {
      packets += interval.packets();
      records += interval.records();
    }
    if (report.counters) last = report.counters;
    if (last) {
      EXPECT_EQ(last->packets_seen, last->packets_selected + last->packets_not_selected);
      EXPECT_EQ(last->packets_selected,
                last->packets_exported + last->packets_spooled + last->packets_discarded);
    }
    ended = report.referencing && report.referencing->ended;
    (*spool)->sent({});
  }
  EXPECT_EQ(session.troubles().total(), 0u);
  EXPECT_TRUE(ended);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->packets_selected, 10 * flows * intervals);
  EXPECT_EQ(last->packets_not_selected, 3 * intervals);
  EXPECT_GT(discarded.records, 0u);
  EXPECT_EQ(records + discarded.records, (flows + 1) * intervals);
  EXPECT_EQ(packets + discarded.packets, 10 * flows * intervals);
}

TEST(ReferenceReports, ShortIntervalsAreToldEverySecond) {
  auto spool = ipfix::Spool::open({.instance = 7});
  ReferenceReports reports{{"north", 7}, {.since = references_began, .every = 10ms}, {}, **spool};
  int made = 0;
  for (Timestamp now = references_began; now < references_began + 10s; now += 10ms) {
    reports.take(interval_at(now, 10ms, 1));
    made += reports.advance(now, 0);
  }
  EXPECT_GE(made, 10);
  EXPECT_LE(made, 11);
}

}  // namespace
}  // namespace sojourn
