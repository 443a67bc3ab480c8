#include "oneway/marking/marking_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "oneway/marking/test_marking_path.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// Steady traffic through a change of the interval at both points; `told_last` is when the last one
/// is told.
std::vector<MarkingResult> change(MarkingInterval from, MarkingInterval to, Duration told_last) {
  MarkingPoint first{MarkingMethod::multiplexed, MarkingRole::initiating, from, 1};
  MarkingPoint last{MarkingMethod::multiplexed, MarkingRole::observing, from, 1};
  PointRecords one, other;
  const Timestamp begin = timestamp_from_ns(64'000'000'000);
  const Timestamp told_first = begin + 8s;
  one.span.since = other.span.since = begin - 1s;
  first.change_interval(to, told_first, one.records);
  last.change_interval(to, told_first + told_last, other.records);
  for (int i = 0; i < 40'000; ++i) {
    MarkingEvent event{begin + i * 1ms, 0};
    pass(first, event, one.records);
    event.time += 300us;
    if (i % 7 != 0) pass(last, event, other.records);  // one in seven is lost
  }
  one.span.until = other.span.until = begin + 50s;
  first.read_all(one.span.until, one.records);
  last.read_all(other.span.until, other.records);
  return collect({MarkingMethod::multiplexed, {}}, one, other);
}

TEST(MarkingPoint, AChangeOfTheIntervalLosesNoCount) {
  for (const auto& [from, to] : {std::pair{0, 2}, {2, 0}, {-3, 1}, {1, -3}}) {
    std::uint64_t sent = 0, lost = 0;
    int lengths = 1;
    const auto results = change(MarkingInterval{from}, MarkingInterval{to}, 0s);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(results[i].lost) << i << " " << results[i].faults.text();
      sent += results[i].sent;
      lost += results[i].lost.value_or(0);
      lengths += i > 0 && results[i].length != results[i - 1].length;
    }
    EXPECT_EQ(lengths, 2);
    EXPECT_EQ(sent, 40'000u);
    EXPECT_EQ(lost, 5715u);  // ceil(40 000 / 7)
  }
}

TEST(MarkingPoint, AChangeThatOnePointLearnsLateIsNotTrusted) {
  const auto results = change(MarkingInterval{0}, MarkingInterval{2}, 8s);
  int refused = 0;
  for (const MarkingResult& result : results) {
    if (!result.lost) {
      ++refused;
      continue;
    }
    const auto expected = static_cast<double>(result.sent) / 7;
    EXPECT_NEAR(static_cast<double>(*result.lost), expected, 1) << result.interval;
  }
  EXPECT_GT(refused, 2);
  EXPECT_LT(refused, 20);
}

TEST(MarkingPoint, ALaterIntervalPushesOutAndReadAllTakesTheRest) {
  MarkingPoint point{MarkingMethod::step, MarkingRole::initiating, MarkingInterval{0}, 2};
  std::vector<MarkingRecord> records;
  for (int i = 0; i < 25; ++i) {
    MarkingEvent event{timestamp_from_ns(i * std::int64_t{100'000'000}),
                       static_cast<std::uint32_t>(i % 2)};
    pass(point, event, records);
  }
  EXPECT_EQ(records.size(), 2u);  // interval 2 has pushed out interval 0 of each flow
  records.clear();
  point.read_all(timestamp_from_ns(2'500'000'000), records);
  ASSERT_EQ(records.size(), 4u);  // of each flow the intervals 1 and 2
  const auto closed = std::ranges::find(records, 1, &MarkingRecord::interval);
  ASSERT_NE(closed, records.end());
  EXPECT_EQ(closed->packets, 5u);
  records.clear();
  point.read_all(timestamp_from_ns(2'500'000'000), records);
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(point.memory_bytes(), 128u);
}

TEST(MarkingPoint, HasTheMeanTimeOfSeveralPulsesAndCountsRepeats) {
  MarkingPoint point{MarkingMethod::double_, MarkingRole::observing, MarkingInterval{0}, 1};
  std::vector<MarkingRecord> records;
  const Timestamp start = MarkingInterval{0}.start_of(1000);
  for (const auto& [since, mark, repeats] :
       {std::tuple{100ms, 0, false}, {500ms, 2, false}, {510ms, 2, true}, {560ms, 2, false}}) {
    MarkingEvent event{start + since, 0, static_cast<Mark>(mark), repeats};
    pass(point, event, records);
  }
  point.read_all(start + 2s, records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].packets, 4u);
  EXPECT_EQ(records[0].pulses, 3u);
  EXPECT_EQ(records[0].repeats, 1u);
  EXPECT_EQ(records[0].pulse_time, start + Duration{1'570'000'000 / 3});
  // The next interval of the colour starts from zero.
  records.clear();
  MarkingEvent event{start + 2500ms, 0, 2};
  pass(point, event, records);
  point.read_all(start + 4s, records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].repeats, 0u);
  EXPECT_EQ(records[0].pulse_time, start + 2500ms);
}

}  // namespace
}  // namespace sojourn
