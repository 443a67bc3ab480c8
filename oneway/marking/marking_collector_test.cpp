#include "oneway/marking/marking_collector.h"

#include <gtest/gtest.h>

#include <random>

#include "oneway/marking/marking_clusters.h"
#include "oneway/marking/marking_multipoint.h"
#include "oneway/marking/marking_summary.h"
#include "oneway/marking/test_marking_path.h"

namespace sojourn {
namespace {

using namespace test;
using enum MarkingFault;
using namespace std::chrono_literals;

constexpr MarkingInterval one_second{0};
constexpr std::int64_t origin = 1000;

/// A packet every 10 ms for this many seconds, each with a delay of 1 ms.
MarkingScenario steady(MarkingMethod method, int seconds = 6) {
  MarkingScenario scenario{.method = method, .length = one_second};
  for (int i = 0; i < seconds * 100; ++i)
    scenario.packets.push_back({one_second.start_of(origin) + i * 10ms, Duration{1ms}, 0});
  return scenario;
}
std::size_t index_at(int interval, int hundredth) {
  return static_cast<std::size_t>(interval * 100 + hundredth);
}

const MarkingResult& row(const MarkingOutcome& outcome, std::int64_t interval) {
  for (const MarkingResult& result : outcome.results)
    if (result.interval == origin + interval) return result;
  ADD_FAILURE() << "no row for interval " << interval;
  return outcome.results.front();
}

bool all_exact(const MarkingOutcome& outcome) {
  return std::ranges::all_of(outcome.results, [&](const MarkingResult& result) {
    return result.lost == outcome.truth.at({result.flow, result.interval}).lost;
  });
}

TEST(MarkingCollector, CountsAndTimes) {
  for (const auto method : {MarkingMethod::double_, MarkingMethod::multiplexed}) {
    MarkingScenario scenario = steady(method);
    for (const int lost : {3, 99}) scenario.packets[index_at(2, lost)].delay.reset();
    scenario.packets[index_at(3, 50)].delay = 7ms;  // the pulse: first packet of the third quarter
    const MarkingOutcome outcome = run(scenario);
    ASSERT_EQ(outcome.results.size(), 6u);
    EXPECT_EQ(row(outcome, 2).lost, 2u);
    EXPECT_EQ(row(outcome, 2).delay, Duration{1ms});
    EXPECT_EQ(row(outcome, 3).lost, 0u);
    EXPECT_EQ(row(outcome, 3).delay, Duration{7ms});
    EXPECT_TRUE(row(outcome, 3).faults.none()) << row(outcome, 3).faults.text();
  }
}

/// A pulse that is sent at the end of the third quarter would arrive after it, look like an early
/// packet of the next interval, and make all flows doubt their clocks.  Live points send none.
TEST(MarkingCollector, ThousandsOfSparseFlowsGiveTheirIntervals) {
  constexpr std::uint32_t flows = 2000;
  MarkingScenario scenario{.method = MarkingMethod::multiplexed, .length = one_second};
  scenario.flows = flows;
  scenario.early_pulses = true;
  std::mt19937_64 random{16};
  for (std::int64_t us = 0; us < 20'000'000; us += 1000)
    scenario.packets.push_back({one_second.start_of(origin) + us * 1us,
                                random() % 50 == 0 ? std::nullopt : std::optional<Duration>{2ms},
                                static_cast<std::uint32_t>(random() % flows)});
  const MarkingOutcome outcome = run(scenario);
  std::size_t given = 0, delays = 0, packets = 0;
  for (const MarkingResult& result : outcome.results) {
    packets += result.sent > 0;
    EXPECT_EQ(result.delay.value_or(2ms), Duration{2ms});
    delays += result.delay.has_value();
    if (!result.lost) continue;
    ++given;
    EXPECT_EQ(*result.lost, outcome.truth.at({result.flow, result.interval}).lost);
  }
  EXPECT_GT(given, packets * 9 / 10);
  EXPECT_GT(delays, packets / 10);
}

/// Each point is compared with the next one of the path: 1 ms to the middle, then 2 ms and a loss.
TEST(MarkingSummary, HopsAreFromEachPointToTheNext) {
  MarkingScenario near = steady(MarkingMethod::multiplexed), far = near;
  for (SentPacket& packet : far.packets) packet.delay = 3ms;
  far.packets[index_at(2, 3)].delay.reset();
  const MarkingOutcome middle = run(near), whole = run(far);
  const MarkingHop hop{"middle", middle.last};
  const OnewayResult result = summarise_marking(
      MarkingSetup{.carrier = *MarkingCarrier::parse("dscp")},
      {MarkingMethod::multiplexed, Duration{}}, whole.first, whole.last, {&hop, 1});
  ASSERT_EQ(result.tables.size(), 2u);
  const ResultTable& hops = result.tables[1];
  ASSERT_EQ(hops.rows.size(), 2u);
  const auto texts = [&](std::size_t row) {
    std::vector<std::string> shown;
    for (const Cell& cell : hops.rows[row]) shown.push_back(cell.text);
    return shown;
  };
  const std::string one_ms = "1000000", two_ms = "2000000";
  EXPECT_EQ(texts(0), (std::vector<std::string>{"first", "middle", "6", "600", "0", "6", one_ms,
                                                one_ms, one_ms}));
  EXPECT_EQ(texts(1), (std::vector<std::string>{"middle", "last", "6", "600", "1", "6", two_ms,
                                                two_ms, two_ms}));
}

/// The square of 200 ms has more digits than a double keeps.
TEST(MarkingSummary, LongDelaysDoNotAbsorbTheirDeviation) {
  MarkingScenario scenario = steady(MarkingMethod::double_);
  for (std::size_t i = 0; i < scenario.packets.size(); ++i)
    scenario.packets[i].delay = 200ms + Duration{i / 100 % 2 * 2};
  const MarkingOutcome outcome = run(scenario);
  const OnewayResult result = summarise_marking(
      MarkingSetup{.method = MarkingMethod::double_, .carrier = *MarkingCarrier::parse("dscp:1,0")},
      {MarkingMethod::double_, Duration{}}, outcome.first, outcome.last, {});
  ASSERT_EQ(result.flows.size(), 1u);
  EXPECT_NEAR(result.flows[0].mean_ns.value(), 200'000'001, 1e-3);
  EXPECT_NEAR(result.flows[0].stddev_ns.value(), 1, 1e-3);
}

/// The paper's published program counts the pulse by its mark.  With such a table every interval
/// loses the pulse to its neighbour; comparing with the truth must show it.
TEST(MarkingCollector, TheOldMistakeOfCountingThePulseUnderTheWrongColourIsNoticed) {
  MarkingTables mistaken = marking_tables(MarkingMethod::multiplexed);
  for (unsigned time_bits = 0; time_bits < 8; ++time_bits)
    for (const unsigned mark : {0u, 1u})
      mistaken.observing[mark << 3 | time_bits].counter = mark == 0 ? Counter::zero : Counter::one;
  const MarkingScenario scenario = steady(MarkingMethod::multiplexed);
  EXPECT_TRUE(all_exact(run(scenario)));
  EXPECT_FALSE(all_exact(run(scenario, &mistaken)));
}

TEST(MarkingCollector, ALostPulseHasNoDelay) {
  for (const auto method :
       {MarkingMethod::double_, MarkingMethod::multiplexed, MarkingMethod::pulse}) {
    MarkingScenario scenario = steady(method);
    scenario.packets[index_at(3, method == MarkingMethod::pulse ? 0 : 50)].delay.reset();
    const MarkingOutcome outcome = run(scenario);
    const MarkingResult& result = row(outcome, 3);
    EXPECT_FALSE(result.delay) << "not even zero";
    EXPECT_TRUE(result.faults.has(lost_pulse));
    if (measures_loss(method)) {
      EXPECT_EQ(result.lost, 1u) << "the counts are as good as ever";
    }
    EXPECT_EQ(row(outcome, 2).delay, Duration{1ms});
  }
  // The mistake: an unwritten timestamp register is read anyway.
  const MarkingRecord sent{.packets = 10,
                           .pulses = 1,
                           .pulse_time = timestamp_from_ns(5),
                           .read_at = timestamp_from_ns(5'000'000'000)};
  const MarkingRecord seen{.packets = 9,
                           .pulses = 0,
                           .pulse_time = timestamp_from_ns(5),
                           .read_at = timestamp_from_ns(5'000'000'000)};  // the register is old
  const auto mistaken_delay = difference(seen.pulse_time, sent.pulse_time);
  EXPECT_EQ(mistaken_delay, Duration{0}) << "which looks like a delay";
  const MarkingSpan always{Timestamp::min() + 24h, Timestamp::max() - 24h};
  const auto results = collect({MarkingMethod::double_, {}}, {always, {sent}}, {always, {seen}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(results[0].delay);
}

TEST(MarkingCollector, AnIdleIntervalIsNotALossOfZero) {
  MarkingScenario scenario = steady(MarkingMethod::multiplexed);
  std::erase_if(scenario.packets, [](const SentPacket& packet) {
    const auto interval = one_second.at(packet.sent).interval - origin;
    return interval == 2 || interval == 3;
  });
  const MarkingOutcome outcome = run(scenario);
  const MarkingResult& result = row(outcome, 2);
  EXPECT_EQ(result.intervals, 2);
  EXPECT_TRUE(result.faults.has(idle));
  EXPECT_FALSE(result.lost || result.delay);
  EXPECT_EQ(row(outcome, 4).lost, 0u);
  EXPECT_EQ(row(outcome, 4).delay, Duration{1ms});
}

/// The paper's register would be in the wrong state: it is set by packets in the first half.
TEST(MarkingCollector, AFlowSilentInTheFirstHalfStillGetsItsPulse) {
  MarkingScenario scenario = steady(MarkingMethod::multiplexed);
  std::erase_if(scenario.packets,
                [](const SentPacket& packet) { return one_second.at(packet.sent).quarter() < 2; });
  const MarkingOutcome outcome = run(scenario);
  for (int interval = 0; interval < 6; ++interval)
    EXPECT_EQ(row(outcome, interval).delay, Duration{1ms});
}

TEST(MarkingCollector, TotalLossIsALossNotSilence) {
  MarkingScenario scenario = steady(MarkingMethod::double_);
  for (int i = 0; i < 100; ++i) scenario.packets[index_at(3, i)].delay.reset();
  const MarkingOutcome outcome = run(scenario);
  EXPECT_EQ(row(outcome, 3).lost, 100u);
  EXPECT_TRUE(row(outcome, 3).faults.has(lost_pulse));
}

TEST(MarkingCollector, DuplicatesAndSecondPulsesAreNoticed) {
  MarkingScenario scenario = steady(MarkingMethod::double_);
  const MarkingOutcome clean = run(scenario);
  MarkingOutcome twice = clean;
  for (MarkingRecord& record : twice.last.records)
    if (record.interval == origin + 3) {
      ++record.packets;
      ++record.pulses;
    }
  const auto results = collect({scenario.method, {}}, twice.first, twice.last);
  EXPECT_TRUE(results[3].faults.has(more_out_than_in));
  EXPECT_TRUE(results[3].faults.has(double_pulse));
  EXPECT_FALSE(results[3].lost || results[3].delay);
  EXPECT_TRUE(results[2].lost && results[4].lost);
}

TEST(MarkingCollector, WhatWasReadTooEarlyOrBegunTooLateIsNotCounted) {
  MarkingOutcome outcome = run(steady(MarkingMethod::double_));
  outcome.first.span.since = one_second.start_of(origin) + 1ms;
  outcome.last.span.since = one_second.start_of(origin) + 2ms;
  for (MarkingRecord& record : outcome.last.records)
    if (record.interval == origin + 4) record.read_at = record.end();  // not yet past the guard
  const auto results = collect({MarkingMethod::double_, {}}, outcome.first, outcome.last);
  EXPECT_TRUE(results[0].faults.has(began_late));
  EXPECT_TRUE(results[4].faults.has(read_too_early));
  EXPECT_FALSE(results[0].lost || results[4].lost);
  EXPECT_TRUE(results[1].lost && results[3].lost);
}

TEST(MarkingCollector, RefusesBeyondTheGuardBand) {
  MarkingScenario scenario = steady(MarkingMethod::double_);
  for (const auto& [error, fine] : {std::pair{490ms, true}, {499ms, false}}) {
    scenario.clock_error = error;  // plus 1 ms of delay
    const MarkingOutcome outcome = run(scenario);
    EXPECT_EQ(row(outcome, 3).lost.has_value(), fine);
    EXPECT_EQ(row(outcome, 3).faults.has(guard_band), !fine);
  }
  scenario = steady(MarkingMethod::multiplexed);
  for (const auto& [error, fine] : {std::pair{240ms, true}, {249ms, false}}) {
    scenario.clock_error = error;
    const MarkingOutcome outcome = run(scenario);
    EXPECT_EQ(row(outcome, 3).lost.has_value(), fine);
  }
}

TEST(MarkingFaults, AreWordsWithSpacesBetween) {
  MarkingFaults faults;
  EXPECT_EQ(faults.text(), "");
  faults.add(double_pulse);
  EXPECT_EQ(faults.text(), "double-pulse");
  faults.add(idle, false);
  faults.add(guard_band);
  EXPECT_EQ(faults.text(), "guard-band double-pulse");
}

TEST(MarkingMultipoint, SumsOverWaysInAndOut) {
  // Two entries with steady traffic; a third of all packets leave by the second exit, four are
  // lost.
  MarkingScenario upper = steady(MarkingMethod::step), lower = upper;
  MarkingOutcome a = run(upper), b = run(lower);
  PointRecords out_one = a.last, out_two = b.last;
  for (std::size_t i = 0; i < out_one.records.size(); ++i) {
    out_one.records[i].packets -= 33;
    out_two.records[i].packets += 33 - 4;
  }
  const PointRecords* const ins[] = {&a.first, &b.first};
  const PointRecords* const outs[] = {&out_one, &out_two};
  const auto results = collect({MarkingMethod::step, {}}, joined(ins), joined(outs));
  ASSERT_EQ(results.size(), 6u);
  for (const MarkingResult& result : results) {
    EXPECT_EQ(result.sent, 200u);
    EXPECT_EQ(result.lost, 4u);
  }
  // Point by point there would be no result: one exit has more packets than one entry.
  EXPECT_FALSE(collect({MarkingMethod::step, {}}, b.first, out_two)[2].lost);
}

TEST(MarkingMultipoint, SeveralPointsAreAsOneThatSawWhatAllSaw) {
  const auto at = [](Duration since) { return one_second.start_of(origin) + since; };
  const auto counted = [&](std::int64_t interval, std::uint64_t packets, Duration read_at) {
    return MarkingRecord{.length = one_second,
                         .judged_by = one_second,
                         .interval = origin + interval,
                         .packets = packets,
                         .read_at = at(read_at)};
  };
  const PointRecords upper{{at(-2s), at(9s)}, {counted(0, 10, 3s), counted(1, 20, 4s)}};
  const PointRecords lower{{at(-1s), at(8s)}, {counted(0, 5, 2s), counted(2, 7, 5s)}};
  for (const bool swapped : {false, true}) {
    const PointRecords* const points[] = {swapped ? &lower : &upper, swapped ? &upper : &lower};
    const PointRecords both = joined(points);
    EXPECT_EQ(both.span.since, at(-1s));
    EXPECT_EQ(both.span.until, at(8s)) << "what only one of them saw is not counted whole";
    ASSERT_EQ(both.records.size(), 3u) << "one for each interval";
    EXPECT_EQ(both.records[0].packets, 15u);
    EXPECT_EQ(both.records[0].read_at, at(2s)) << "the earliest: later packets are not in all";
    EXPECT_EQ(both.records[1].packets, 20u);
    EXPECT_EQ(both.records[2].packets, 7u);
  }
}

TEST(MarkingMultipoint, SegmentsHaveToTouchEveryPointThatThereIs) {
  const auto reason = [](std::string_view segments, std::size_t between) {
    return contradiction_of(parse_segments(segments).value(), between);
  };
  EXPECT_EQ(reason("first-last", 0), "");
  EXPECT_EQ(reason("first-1,first-2,1-last,2-last", 2), "");
  EXPECT_EQ(reason("1-last", 1), "no segment begins at first");
  EXPECT_EQ(reason("first-1", 1), "no segment ends at last");
  EXPECT_EQ(reason("first-1,1-last", 2), "no segment touches point 2");
  EXPECT_NE(reason("first-2,2-last", 1).find("there is no point 2"), std::string::npos);
}

TEST(MarkingMultipoint, AnInteriorPointIsOneOfBothClusters) {
  // RFC 9342 figure 3: R1 is the way in; R8, R9, R10... ways out, R2 to R7 between.
  const std::vector<PathSegment> segments = {{1, 2}, {1, 3}, {1, 10}, {2, 4}, {2, 5},
                                             {3, 5}, {3, 9}, {4, 6},  {4, 7}, {5, 8}};
  const std::vector<Cluster> expected = {
      {{1}, {2, 3, 10}}, {{2, 3}, {4, 5, 9}}, {{4}, {6, 7}}, {{5}, {8}}};
  EXPECT_EQ(clusters_of(segments), expected);
}

TEST(MarkingMultipoint, LossOfAClusterIsThatOfItsIntervals) {
  MarkingScenario scenario = steady(MarkingMethod::step);
  for (const std::size_t lost : {index_at(2, 3), index_at(2, 40), index_at(4, 7)})
    scenario.packets[lost].delay.reset();
  const MarkingOutcome outcome = run(scenario);
  const PointRecords* const points[] = {&outcome.first, &outcome.last};
  const PathSegment whole[] = {{0, last_point}};
  const MarkingSetup setup{.method = MarkingMethod::step,
                           .carrier = MarkingCarrier::parse("dscp:1").value()};
  const auto tables = cluster_tables(setup, Duration{0}, points, whole);
  ASSERT_EQ(tables.size(), 2u);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  std::vector<std::string> texts;
  for (const Cell& cell : tables[0].rows[0]) texts.push_back(cell.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"first", "last", "6", "600", "3"}));
  EXPECT_EQ(tables[1].rows.size(), 6u);
}

/// Records of one interval at both points, as double marking leaves them.
MarkingResult judged(MarkingMethod method, MarkingRecord sent, MarkingRecord received) {
  sent.length = received.length = sent.judged_by = received.judged_by = one_second;
  sent.interval = received.interval = origin;
  const Timestamp since = one_second.start_of(origin - 2), until = one_second.start_of(origin + 3);
  sent.read_at = received.read_at = until;
  const auto results =
      collect({method, {}}, {{since, until}, {sent}}, {{since, until}, {received}});
  EXPECT_EQ(results.size(), 1u);
  return results.front();
}

// Before, the copies stood for packets that were lost.
TEST(MarkingCollector, CopiesDoNotHideLosses) {
  const auto lost = [](std::uint64_t received, std::uint32_t repeats_first,
                       std::uint32_t repeats_last) {
    MarkingRecord one, other;
    one.packets = 100, one.repeats = repeats_first;
    other.packets = received, other.repeats = repeats_last;
    return judged(MarkingMethod::step, one, other);
  };
  EXPECT_EQ(lost(100, 0, 7).lost, 7u);
  EXPECT_EQ(lost(100, 0, 7).copies, 7u);
  EXPECT_EQ(lost(100, 5, 5).lost, 0u) << "sent twice, received twice";
  EXPECT_EQ(lost(98, 5, 3).lost, 2u);
  EXPECT_EQ(lost(103, 0, 3).lost, 0u);
  EXPECT_TRUE(lost(104, 0, 3).faults.has(more_out_than_in));
  EXPECT_FALSE(lost(104, 0, 3).lost);
}

// RFC 9341 section 4.2.  Before, more than one gave no delay.
TEST(MarkingCollector, SeveralDelayMarksInABlockGiveTheirMeanDelay) {
  const auto delay = [](MarkingMethod method, std::uint32_t sent, std::uint32_t received) {
    MarkingRecord one, other;
    one.packets = other.packets = 100;
    one.pulses = sent, other.pulses = received;
    one.pulse_time = one_second.start_of(origin) + 500ms;
    other.pulse_time = one.pulse_time + 3ms;
    return judged(method, one, other);
  };
  EXPECT_EQ(delay(MarkingMethod::double_, 4, 4).delay, Duration{3ms});
  EXPECT_TRUE(delay(MarkingMethod::double_, 4, 4).faults.none());
  EXPECT_FALSE(delay(MarkingMethod::double_, 4, 3).delay);
  EXPECT_TRUE(delay(MarkingMethod::double_, 4, 3).faults.has(lost_pulse));
  EXPECT_TRUE(delay(MarkingMethod::double_, 4, 5).faults.has(double_pulse));
  EXPECT_FALSE(delay(MarkingMethod::double_, 4, 5).delay);
  EXPECT_FALSE(delay(MarkingMethod::multiplexed, 4, 4).delay) << "there a second one is a trace";
}

}  // namespace
}  // namespace sojourn
