#include <gtest/gtest.h>

#include "export/point/point_text.h"
#include "export/point/watch_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const ipfix::Endpoint collector{.transport = ipfix::Transport::tls, .host = "c", .port = 4740};

PointFigures figures() {
  PointFigures figures{.name = "north", .counters = {}};
  figures.counters.packets_seen = 12'345;
  figures.counters.packets_selected = 123;
  figures.counters.records_exported = 45;
  return figures;
}

ipfix::SpoolCounters spool() {
  ipfix::SpoolCounters counters;
  counters.appended.records = 1'048;
  counters.waiting.records = 40;
  counters.discarded.records = 8;
  return counters;
}

TEST(PointStatus, IsALineOfWhatPassesAndWhereItGoes) {
  PointFigures now = figures();
  EXPECT_EQ(point_status(now, 1000.7, collector, true),
            "north: 12 345 packets (1 000/s), 123 selected, 45 records  -> c:4740");
  now.round_trips = 77;
  now.counters.records_spooled = 3;
  now.counters.records_discarded = 2;
  EXPECT_EQ(point_status(now, 0, collector, false),
            "north: 12 345 packets (0/s), 123 selected, 45 records, 77 round trips  -x c:4740, "
            "3 wait, 2 thrown away");
}

TEST(PointSummary, IsTheLedgerOfTheRun) {
  EXPECT_EQ(point_summary(figures(), {}, collector, spool()),
            "north: 12 345 packets seen, 123 selected, in 1 048 records\n"
            "  to c:4740 over tls: 1 000 records sent, 40 left in the spool, 8 thrown away\n");
}

TEST(PointSummary, SaysWhatWasLeftOutMissedAndDropped) {
  PointFigures all = figures();
  all.round_trips = 2'000;
  all.round_trips_left_out = 10;
  all.counters.packets_dropped = 5;
  ipfix::SpoolCounters left = spool();
  left.left_over.records = 60;
  left.left_over_waiting.records = 6;
  const PointSelecting selecting{.in_kernel = "tc (tcx)",
                                 .why_in_socket = "not shown",
                                 .undecided = 9,
                                 .round_trips_missed = 4};
  EXPECT_EQ(point_summary(all, selecting, collector, left),
            "north: 12 345 packets seen, 123 selected, in 1 048 records\n"
            "  to c:4740 over tls: 1 000 records sent, 40 left in the spool, 8 thrown away\n"
            "  60 records of an earlier run were in the spool, 6 of them are still there\n"
            "  2 000 round trips, 10 left out: more cells than a report may have\n"
            "  selected in the kernel, tc (tcx); 9 packets could only be judged outside of it\n"
            "  4 round trips were missed: their ring was full\n"
            "  the kernel dropped 5 packets before they could be read\n");
  EXPECT_TRUE(point_summary(figures(), {.in_kernel = {}, .why_in_socket = "no tc"}, collector, left)
                  .ends_with("\n  selected from a socket: no tc\n"));
}

TEST(PointSummary, OfMarksOrReferences) {
  EXPECT_EQ(counting_point_summary("south", 5'000, collector, spool()),
            "south: 5 000 packets counted, in 1 048 records\n"
            "  to c:4740 over tls: 1 000 records sent, 40 left in the spool, 8 thrown away\n");
}

TEST(PointText, ANameIsPrintable) {
  PointFigures hostile = figures();
  hostile.name = "a,b\"c\n\x1b[31m";
  const std::string shown = "a,b\"c\\x0a\\x1b[31m: ";
  EXPECT_TRUE(point_status(hostile, 0, collector, true).starts_with(shown));
  EXPECT_TRUE(point_summary(hostile, {}, collector, spool()).starts_with(shown));
  EXPECT_TRUE(counting_point_summary(hostile.name, 0, collector, spool()).starts_with(shown));
}

TEST(WatchReport, NumbersAreNumbersAndNullIsNull) {
  EXPECT_EQ(watch_json(std::nullopt).dump(), "{\"reports_thrown_away\":0}");
  WatchFigures figures{.interface = "e\"0"};
  EXPECT_EQ(watch_json(figures).dump(),
            "{\"interface\":\"e\\\"0\",\"packets\":0,\"dropped_by_kernel\":0,\"skipped\":{},"
            "\"samples\":0,"
            "\"samples_left_out\":0,\"ns_per_packet\":null,\"table_bytes\":0,"
            "\"reports_thrown_away\":0}");
  figures = {.interface = "eth0",
             .packets = 2'000,
             .dropped_by_kernel = 3,
             .skipped = {{"not-ip", 7}},
             .samples = 900,
             .samples_left_out = 5,
             .busy = 1ms,
             .table_bytes = 4096,
             .reports_thrown_away = 1};
  EXPECT_EQ(
      watch_json(figures).dump(),
      "{\"interface\":\"eth0\",\"packets\":2000,\"dropped_by_kernel\":3,\"skipped\":{\"not-ip\":7},"
      "\"samples\":900,\"samples_left_out\":5,\"ns_per_packet\":500.0,\"table_bytes\":4096,"
      "\"reports_thrown_away\":1}");
  EXPECT_EQ(watch_text(figures), "eth0: 2 000 packets, 900 round trips, 3 dropped by the kernel\n");
}

}  // namespace
}  // namespace sojourn
