#include "oneway/cnf/association.h"

#include <gtest/gtest.h>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

FlowRecord record(std::uint32_t flow, Duration first, Duration last, std::uint32_t first_label,
                  std::uint32_t last_label, std::uint64_t packets = 5, std::uint64_t bytes = 500) {
  return {.key = test_flow_key(flow),
          .packets = packets,
          .bytes = bytes,
          .first = test_time(first),
          .last = test_time(last),
          .first_label = first_label,
          .last_label = last_label};
}

TEST(AssociateByLabel, EachEndSpeaksForItself) {
  const std::vector<FlowRecord> sent = {record(1, 0s, 2s, 11, 12), record(2, 0s, 2s, 21, 22),
                                        record(3, 0s, 2s, 31, 32), record(4, 0s, 2s, 41, 42)};
  const std::vector<FlowRecord> received = {
      record(4, 1s, 2s + 9ms, 99, 98),         // both ends lost
      record(3, 0s + 7ms, 1s, 31, 33),         // the last packet was lost
      record(1, 0s + 5ms, 2s + 6ms, 11, 12)};  // flow 2 was never seen
  const Association result = associate_by_label(sent, received, 10s);
  ASSERT_EQ(result.flows.size(), 2u);
  EXPECT_EQ(result.unmatched, 2u);
  EXPECT_EQ(result.flows[0].record, 0u);
  EXPECT_EQ(result.flows[0].first_delay, 5ms);
  EXPECT_EQ(result.flows[0].last_delay, 6ms);
  EXPECT_EQ(result.flows[1].record, 2u);
  EXPECT_EQ(result.flows[1].first_delay, 7ms);
  EXPECT_FALSE(result.flows[1].last_delay);
}

TEST(AssociateByLabel, AFlowOfOnePacketHasOneDelay) {
  const std::vector<FlowRecord> sent = {record(1, 0s, 0s, 11, 11, 1)};
  const Association result =
      associate_by_label(sent, std::vector{record(1, 5ms, 5ms, 11, 11, 1)}, 10s);
  ASSERT_EQ(result.flows.size(), 1u);
  EXPECT_EQ(result.flows[0].first_delay, 5ms);
  EXPECT_FALSE(result.flows[0].last_delay);
}

TEST(AssociateByLabel, ARecordDividedAtOnePointOnlyKeepsItsEnds) {
  const std::vector<FlowRecord> sent = {record(1, 0s, 20s, 11, 14)};
  const std::vector<FlowRecord> received = {record(1, 1ms, 8s, 11, 12),
                                            record(1, 19s, 20s + 3ms, 13, 14)};
  const Association result = associate_by_label(sent, received, 10s);
  ASSERT_EQ(result.flows.size(), 1u);
  EXPECT_EQ(result.flows[0].first_delay, 1ms);
  EXPECT_EQ(result.flows[0].last_delay, 3ms);
}

TEST(AssociateByLabel, TheSameLabelMuchLaterIsAnotherPacket) {
  const std::vector<FlowRecord> sent = {record(1, 0s, 2s, 11, 12)};
  const std::vector<FlowRecord> received = {record(1, 100s, 102s, 11, 12),
                                            record(1, -2ms, 1s, 11, 19)};
  const Association result = associate_by_label(sent, received, 10s);
  ASSERT_EQ(result.flows.size(), 1u);
  EXPECT_EQ(result.flows[0].first_delay, -2ms);  // the clocks say so
  EXPECT_FALSE(result.flows[0].last_delay);
}

TEST(DropOutliers, TheTopShareGoes) {
  std::vector<FlowRecord> sent, received;
  for (std::uint32_t i = 0; i < 100; ++i) {
    sent.push_back(record(i, 0s, 1s, 1, 2));
    received.push_back(record(i, Duration{i}, 1s + Duration{1000 + i}, 1, 2));
  }
  Association result = associate_by_label(sent, received, 10s);
  EXPECT_EQ(drop_outliers(result, 0.01), 2u);
  EXPECT_EQ(result.flows.size(), 100u);
  EXPECT_FALSE(result.flows[99].last_delay);
  EXPECT_TRUE(result.flows[97].last_delay);
  EXPECT_EQ(delay_series(result.flows, sent).samples().size(), 198u);
  EXPECT_EQ(drop_outliers(result, 0), 0u);
}

/// The paper's setting for the CHIC trace.
constexpr TimingLimits limits{10ms, 20ms, 40ms, 1ms, 10s, 30s};

TimingAssociation timing(const FlowRecord& sent, const FlowRecord& received) {
  return associate_by_timing(std::vector{sent}, std::vector{received}, limits);
}

TEST(AssociateByTiming, AcceptsWhatCanBeTheSamePackets) {
  const auto result = timing(record(1, 0s, 2s, 0, 0), record(1, 15ms, 2s + 61ms, 0, 0));
  ASSERT_EQ(result.association.flows.size(), 1u);
  EXPECT_EQ(result.association.flows[0].first_delay, 15ms);
  EXPECT_EQ(result.association.flows[0].last_delay, 61ms);
  EXPECT_EQ(result.survival.records, 1u);
  EXPECT_EQ(result.survival.after, (std::array<std::uint64_t, 5>{1, 1, 1, 1, 1}));
}

TEST(AssociateByTiming, EachCheckHasItsSay) {
  using Survival = std::array<std::uint64_t, 5>;
  const FlowRecord sent = record(1, 0s, 2s, 0, 0);
  // C1: too early, too late, and the last packet off.
  EXPECT_EQ(timing(sent, record(1, 8ms, 2s + 15ms, 0, 0)).survival.after, (Survival{}));
  EXPECT_EQ(timing(sent, record(1, 62ms, 2s + 15ms, 0, 0)).survival.after, (Survival{}));
  EXPECT_EQ(timing(sent, record(1, 15ms, 2s + 62ms, 0, 0)).survival.after, (Survival{}));
  EXPECT_EQ(timing(sent, record(2, 15ms, 2s + 15ms, 0, 0)).survival.after, (Survival{}));
  // C2: a packet within is missing.
  EXPECT_EQ(timing(sent, record(1, 15ms, 2s + 15ms, 0, 0, 4, 400)).survival.after, (Survival{1}));
  EXPECT_EQ(timing(sent, record(1, 15ms, 2s + 15ms, 0, 0, 5, 501)).survival.after, (Survival{1}));
  // C3: the last packet may have come after the active timeout.
  const FlowRecord lasting = record(1, 0s, 29s + 980ms, 0, 0);
  EXPECT_EQ(timing(lasting, record(1, 15ms, 29s + 995ms, 0, 0)).survival.after,
            (Survival{1, 1, 1, 1, 1}));
  EXPECT_EQ(timing(lasting, record(1, 15ms, 30s + 15ms, 0, 0)).survival.after, (Survival{1, 1}));
}

TEST(AssociateByTiming, C4RulesOutAPacketBehindTheInactiveTimeout) {
  TimingLimits impatient = limits;
  impatient.inactive_timeout = 30ms;
  const FlowRecord sent = record(1, 0s, 2s, 0, 0);
  const auto survive = [&](Duration last_delay) {
    return associate_by_timing(std::vector{sent},
                               std::vector{record(1, 15ms, 2s + last_delay, 0, 0)}, impatient)
        .survival.after[3];
  };
  EXPECT_EQ(survive(38ms), 1u);  // 38 - 10 + 1 < 30
  EXPECT_EQ(survive(39ms), 0u);
}

/// C5: after a discard no record of the flow is trusted until both points have paused.
TEST(AssociateByTiming, C5WaitsForAPauseAfterADiscard) {
  std::vector<FlowRecord> sent, received;
  const auto both = [&](Duration begin, std::uint64_t packets_received) {
    sent.push_back(record(1, begin, begin + 1s, 0, 0));
    received.push_back(record(1, begin + 15ms, begin + 1s + 15ms, 0, 0, packets_received));
  };
  both(0s, 5);
  both(3s, 4);         // discarded by C2
  both(6s, 5);         // fits, but is uncertain
  both(17s + 2ms, 5);  // both paused for more than 10 s
  const auto result = associate_by_timing(sent, received, limits);
  ASSERT_EQ(result.association.flows.size(), 2u);
  EXPECT_EQ(result.association.flows[0].record, 0u);
  EXPECT_EQ(result.association.flows[1].record, 3u);
  EXPECT_EQ(result.survival.after, (std::array<std::uint64_t, 5>{4, 3, 3, 3, 2}));
}

/// C5: a pause at the first point is none at the last if the record before arrived late there.
TEST(AssociateByTiming, C5WaitsForThePauseAtTheLastPointToo) {
  const auto accepted = [](Duration late) {
    const std::vector<FlowRecord> sent = {record(1, 0s, 1s, 0, 0),
                                          record(1, 11s + 10ms, 12s, 0, 0)};
    // The first is discarded by C2.
    const std::vector<FlowRecord> received = {record(1, 15ms, 1s + late, 0, 0, 4),
                                              record(1, 11s + 25ms, 12s + 15ms, 0, 0)};
    return associate_by_timing(sent, received, limits).association.flows.size();
  };
  EXPECT_EQ(accepted(15ms), 1u) << "10.01 s at both points";
  EXPECT_EQ(accepted(28ms), 0u) << "9.997 s at the last";
}

}  // namespace
}  // namespace sojourn
