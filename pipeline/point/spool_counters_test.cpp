#include "pipeline/point/spool_counters.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

/// What was counted is spooled, discarded, exported, or in the report that says so.
TEST(SpoolCounters, AddUpWithTheReportBeingMade) {
  ipfix::SpoolCounters spool;
  spool.appended.records = 100;
  spool.appended.packets = 1000;
  spool.waiting.records = 20;
  spool.waiting.packets = 200;
  spool.discarded.records = 3;
  spool.discarded.packets = 30;
  PointCounters counters;
  put_spool(counters, spool, 7, 70);
  EXPECT_EQ(counters.records_spooled, 20u);
  EXPECT_EQ(counters.records_discarded, 3u);
  EXPECT_EQ(counters.records_exported, 84u);
  EXPECT_EQ(counters.packets_spooled, 200u);
  EXPECT_EQ(counters.packets_discarded, 30u);
  EXPECT_EQ(counters.packets_exported, 840u);
}

}  // namespace
}  // namespace sojourn
