#include "pipeline/oneway/record_run.h"

#include <gtest/gtest.h>

#include "pipeline/oneway/test_two_points.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

const std::atomic<bool> never{false};

struct KeptRecords final : RecordSink {
  std::vector<FlowRecord> records;
  void take(std::span<const FlowRecord> more) override {
    records.insert(records.end(), more.begin(), more.end());
  }
};

/// Records of 50 ms, so that some are complete before the end.
OnewaySetup setup_of_records() {
  OnewaySetup setup;
  setup.options.seed = 7;
  setup.cnf.cache.active_timeout = 50ms;
  setup.cnf.cache.inactive_timeout = 20ms;
  return setup;
}

std::vector<FlowRecord> records_of(std::span<const StoredPacket> packets) {
  KeptRecords kept;
  RecordRun run{setup_of_records(), kept};
  MemorySource source{packets, 100};
  run.run(source, never);
  EXPECT_EQ(run.records(), kept.records.size());
  return kept.records;
}

TEST(RecordRun, PushedPacketsGiveTheSameRecords) {
  const TestTwoPoints traffic;
  KeptRecords kept;
  RecordRun run{setup_of_records(), kept};
  run.process(packets_of(traffic.first));
  EXPECT_FALSE(kept.records.empty());  // those that are complete do not wait for the end
  run.finish();
  EXPECT_EQ(kept.records, records_of(traffic.first));
  std::uint64_t packets = 0;
  for (const FlowRecord& record : kept.records) packets += record.packets;
  EXPECT_EQ(packets, 2'000u);
}

TEST(RecordRun, JoinedRecordsSayWhatTheMethodSaysOfThePackets) {
  const TestTwoPoints traffic;
  const MethodChoice& method = *oneway_method_named("multiflow");
  const OnewayMeasurement joined =
      join_records(records_of(traffic.first), records_of(traffic.last), method, setup_of_records());
  auto run = OnewayRun::make({.method = &method, .setup = setup_of_records()});
  ASSERT_TRUE(run);
  MemorySource first{traffic.first}, last{traffic.last};
  (*run)->run(first, last, never, [] {});
  const OnewayMeasurement direct = (*run)->finish();
  ASSERT_EQ(joined.result.flows.size(), 8u);
  ASSERT_EQ(direct.result.flows.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(joined.result.flows[i].mean_ns, direct.result.flows[i].mean_ns);
  EXPECT_EQ(joined.delays.mean(), direct.delays.mean());
  EXPECT_EQ(joined.inputs[0].packets, 2'000u);
}

TEST(RecordRun, AnOffsetOfTheClockIsTakenOutOfRecords) {
  std::vector<FlowRecord> late = records_of(TestTwoPoints{2'000, 3'600'000'000'000}.last);
  take_out_offset(late, 1h);
  std::vector<FlowRecord> right = records_of(TestTwoPoints{}.last);
  // Moments are counted by the point's own clock.
  for (auto* records : {&late, &right})
    for (FlowRecord& record : *records) record.moment_squares = 0;
  EXPECT_EQ(late, right);
}

}  // namespace
}  // namespace sojourn
