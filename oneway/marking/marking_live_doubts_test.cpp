// Reports of live points besides their counters invalidate figures.

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_multipoint.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using enum MarkingFault;

constexpr MarkingInterval one_second{0};

MarkingRecord counted(std::int64_t interval, std::uint64_t packets) {
  return {.flow = 0,
          .length = one_second,
          .judged_by = one_second,
          .interval = interval,
          .packets = packets,
          .middle = packets / 4,
          .read_at = one_second.start_of(interval + 1) + 500ms};
}

/// Intervals 1000 to 1009, a hundred packets each, all of which arrive.
struct TwoPoints {
  PointRecords first, last;

  TwoPoints() {
    for (PointRecords* point : {&first, &last}) {
      point->span = {one_second.start_of(999), one_second.start_of(1011)};
      for (std::int64_t i = 1000; i < 1010; ++i) {
        point->records.push_back(counted(i, 100));
        point->read.push_back(i);
      }
    }
  }
  MarkingRecord& at_last(std::int64_t interval) {
    return last.records[static_cast<std::size_t>(interval - 1000)];
  }
  MarkingRecord& at_first(std::int64_t interval) {
    return first.records[static_cast<std::size_t>(interval - 1000)];
  }
  std::vector<MarkingResult> joined() const {
    return collect({.method = MarkingMethod::step}, first, last);
  }
};

void expect_only(const std::vector<MarkingResult>& results, MarkingFault fault, std::int64_t from,
                 std::int64_t to) {
  ASSERT_EQ(results.size(), 10u);
  for (const MarkingResult& result : results) {
    const bool doubted = result.interval >= from && result.interval <= to;
    EXPECT_EQ(result.faults.has(fault), doubted) << result.interval;
    EXPECT_EQ(result.lost.has_value(), !doubted) << result.interval << result.faults.text();
  }
}

TEST(LiveDoubts, NothingIsDoubtedWhereAllIsWell) {
  for (const MarkingResult& result : TwoPoints{}.joined()) EXPECT_EQ(result.lost, 0u);
}

TEST(LiveDoubts, AnIntervalThatOnePointDidNotReadGivesNone) {
  TwoPoints points;
  std::erase(points.last.read, 1004);
  expect_only(points.joined(), not_recorded, 1004, 1004);
}

TEST(LiveDoubts, WhatAPointItselfDoubtsGivesNone) {
  TwoPoints points;
  points.first.doubts.emplace_back(1005, link_down);
  expect_only(points.joined(), link_down, 1005, 1005);
}

// Of a cluster's ways out (RFC 9342).
TEST(LiveDoubts, WhatOnePointOfSeveralDoesNotKnowIsNotKnown) {
  TwoPoints points;
  PointRecords other = points.last;
  for (PointRecords* way : {&points.last, &other})
    for (MarkingRecord& record : way->records) record.packets = 50;
  const std::array ways = {&std::as_const(points.last), &std::as_const(other)};
  const auto collected = [&] {
    return collect({.method = MarkingMethod::step}, points.first, joined(ways));
  };
  for (const MarkingResult& result : collected()) EXPECT_EQ(result.lost, 0u);
  std::erase(other.read, 1004);
  expect_only(collected(), not_recorded, 1004, 1004);
  other.read = points.last.read;
  other.doubts.emplace_back(1006, link_down);
  expect_only(collected(), link_down, 1006, 1006);
  other.read = {2000};
  for (const MarkingResult& result : collected()) EXPECT_FALSE(result.lost);
}

TEST(LiveDoubts, PacketsThatWereMarkedBeforeSpoilTheirInterval) {
  TwoPoints points;
  points.at_first(1003).marked_before = 1;
  expect_only(points.joined(), in_use, 1003, 1003);
}

TEST(LiveDoubts, MarkedPacketsThatGotAnotherValueAreToldAndAreNoLoss) {
  TwoPoints points;
  points.at_last(1004).packets = 40;
  points.at_last(1004).other = 60;
  expect_only(points.joined(), rewritten, 1003, 1005);
}

TEST(LiveDoubts, PacketsOfAnotherValueMayComeAnIntervalLater) {
  TwoPoints points;
  points.at_first(1004).other = 7;
  points.at_last(1005).other = 7;
  for (const MarkingResult& result : points.joined()) EXPECT_EQ(result.lost, 0u);
}

TEST(LiveDoubts, ClearedMarksAreToldAndAreNoLoss) {
  TwoPoints points;
  // Odd intervals are of colour 1: cleared, their packets count for their neighbours.
  for (const std::int64_t odd : {1003, 1005}) {
    points.at_last(odd).contrary = points.at_last(odd).middle;
    points.at_last(odd).packets = 0;
    points.at_last(odd - 1).packets += 50;
    points.at_last(odd + 1).packets += 50;
  }
  const auto results = points.joined();
  expect_only(results, rewritten, 1002, 1006);
}

TEST(LiveDoubts, WhereNobodyMarkedNothingWasRewritten) {
  TwoPoints points;
  points.at_last(1005).contrary = points.at_last(1005).middle;
  for (const std::int64_t ended : {1004, 1005, 1006}) std::erase(points.first.read, ended);
  for (const MarkingResult& result : points.joined()) EXPECT_FALSE(result.faults.has(rewritten));
}

TEST(LiveDoubts, ColoursTheOtherWayRoundAreNotRewritten) {
  TwoPoints points;
  for (MarkingRecord& record : points.last.records) record.contrary = record.middle;
  for (const MarkingResult& result : points.joined()) EXPECT_FALSE(result.faults.has(rewritten));
}

}  // namespace
}  // namespace sojourn
