// Records of reference packets: what is written is read again, and what cannot be is refused.

#include "ipfix/reference_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ipfix/message_writer.h"
#include "ipfix/session.h"
#include "ipfix/test_hearing.h"
#include "ipfix/test_reports.h"

namespace sojourn::ipfix {
namespace {

TEST(ReferenceRecords, AreReadAsTheyWereWritten) {
  for (const std::size_t most : {std::size_t{1'000}, datagram_bytes, std::size_t{16'384}}) {
    SCOPED_TRACE(most);
    std::mt19937_64 random{most};
    for (int round = 0; round < 50; ++round) {
      const ReferenceRun run = random_reference_run(random);
      std::vector<ReferenceInterval> intervals(random() % 4);
      for (ReferenceInterval& interval : intervals) interval = random_references(random);
      const Heard heard =
          hear(most, [&](MessageWriter& writer) { writer.references(run, intervals); });
      EXPECT_EQ(heard.reference_run, run);
      EXPECT_EQ(heard.references, intervals);
      std::uint64_t packets = 0, records = 0;
      for (const ReferenceInterval& interval : intervals) {
        packets += interval.packets();
        records += interval.records();
      }
      EXPECT_EQ(heard.records, records);
      EXPECT_EQ(heard.packets, packets);
      EXPECT_EQ(heard.troubles.total(), 0u);
    }
  }
}

TEST(ReferenceRecords, WhatCannotBeIsRefusedAndCounted) {
  const auto refused = [](const std::function<void(ReferenceRun&, ReferenceInterval&)>& spoil) {
    std::mt19937_64 random{1};
    ReferenceRun run = random_reference_run(random);
    ReferenceInterval interval = random_references(random);
    interval.flows.resize(1);
    interval.flows[0].packets = 10;
    interval.flows[0].estimated = 8;
    interval.flows[0].left_only = 2;
    spoil(run, interval);
    const Heard heard =
        hear(16'384, [&](MessageWriter& writer) { writer.references(run, std::vector{interval}); });
    std::size_t taken = 0;
    for (const ReferenceInterval& each : heard.references) taken += each.records();
    return heard.troubles[Trouble::bad_value] > 0 && taken < 2;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(refused([](ReferenceRun&, ReferenceInterval&) {}));
  EXPECT_TRUE(refused([](ReferenceRun& run, ReferenceInterval&) { run.every = Duration{0}; }));
  EXPECT_TRUE(refused([](ReferenceRun& run, ReferenceInterval&) { run.every = Duration{-1}; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.end = i.begin - Duration{9}; }));
  EXPECT_TRUE(refused(
      [](ReferenceRun&, ReferenceInterval& i) { i.end = i.begin + std::chrono::hours{24 * 8}; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.seen->unread = 1ull << 60; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.flows[0].packets = 7; }));
  EXPECT_TRUE(
      refused([](ReferenceRun&, ReferenceInterval& i) { i.flows[0].packets = 1ull << 60; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.flows[0].left_only = 9; }));
  EXPECT_TRUE(refused([&](ReferenceRun&, ReferenceInterval& i) { i.flows[0].mean_ns = nan; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.flows[0].mean_ns = -1e19; }));
  EXPECT_TRUE(refused([&](ReferenceRun&, ReferenceInterval& i) { i.flows[0].deviation_ns = nan; }));
  EXPECT_TRUE(refused([](ReferenceRun&, ReferenceInterval& i) { i.flows[0].deviation_ns = -1; }));
}

}  // namespace
}  // namespace sojourn::ipfix
