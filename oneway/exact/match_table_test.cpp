#include "oneway/exact/match_table.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t lines = 32;  // the fewest: the upper five bits of a key choose its line

/// A key whose home is `line`, distinct from all others.
constexpr std::uint64_t key_in(std::uint64_t line, std::uint64_t number) {
  return line << 59 | number << 2;
}

TEST(MatchTable, MeetsWhatWaitsAtTheOtherPointOnce) {
  MatchTable table{1s, lines};
  table.wait(key_in(3, 1), {1'000, 7, Point::first});
  EXPECT_FALSE(table.meet(key_in(3, 2), Point::last, 1'500).partner) << "another packet";
  const auto twin = table.meet(key_in(3, 1), Point::first, 1'500);
  EXPECT_FALSE(twin.partner);
  EXPECT_TRUE(twin.twin);
  const auto met = table.meet(key_in(3, 1), Point::last, 1'500);
  ASSERT_TRUE(met.partner);
  EXPECT_EQ(met.partner->time_ns, 1'000);
  EXPECT_EQ(met.partner->flow, 7u);
  EXPECT_EQ(met.partner->point, Point::first);
  EXPECT_FALSE(met.twin);
  EXPECT_FALSE(table.meet(key_in(3, 1), Point::last, 1'500).partner) << "met already";
}

TEST(MatchTable, TheWindowHoldsBothWaysAndItsEndBelongsToIt) {
  for (const std::int64_t distance : {-1'000'000'000, 0, 1'000'000'000}) {
    MatchTable table{1s, lines};
    table.wait(key_in(0, 1), {5'000'000'000, 0, Point::last});
    EXPECT_FALSE(table.meet(key_in(0, 1), Point::first, 3'999'999'999).partner);
    EXPECT_FALSE(table.meet(key_in(0, 1), Point::first, 6'000'000'001).partner);
    EXPECT_TRUE(table.meet(key_in(0, 1), Point::first, 5'000'000'000 + distance).partner);
  }
}

TEST(MatchTable, IdenticalPacketsMeetTheEarliestFirst) {
  MatchTable table{1s, lines};
  for (const std::int64_t time : {300, 100, 200}) table.wait(key_in(0, 1), {time, 0, Point::first});
  for (const std::int64_t time : {100, 200, 300})
    EXPECT_EQ(table.meet(key_in(0, 1), Point::last, 400).partner->time_ns, time);
}

// The three tags of a line are followed by its times: read as tags, they would be packets.
TEST(MatchTable, ALineHasThreeSlotsAndATimeIsNoTag) {
  const std::int64_t time = static_cast<std::int64_t>(key_in(3, 5) | 1);
  for (std::size_t waiting = 0; waiting <= 3; ++waiting) {
    MatchTable table{1s, lines};
    for (std::size_t i = 0; i < waiting; ++i)
      table.wait(key_in(3, i + 10), {time, 0, Point::first});
    for (const Point point : {Point::first, Point::last}) {
      const auto met = table.meet(key_in(3, 5), point, time);
      EXPECT_FALSE(met.partner) << waiting;
      EXPECT_FALSE(met.twin) << waiting;
    }
    std::vector<MatchTable::Entry> expired, rest;
    table.make_room(100, {}, expired);
    EXPECT_TRUE(expired.empty());
    table.take_all(rest);
    EXPECT_EQ(rest.size(), waiting);
  }
}

TEST(MatchTable, AFullLinePassesPacketsToTheNextAndTheLastToTheFirst) {
  MatchTable table{1s, lines};
  for (std::uint64_t i = 0; i < 7; ++i)
    table.wait(key_in(31, i),
               {static_cast<std::int64_t>(i), static_cast<std::uint32_t>(i), Point::first});
  for (std::uint64_t i = 7; i-- > 0;) {
    const auto met = table.meet(key_in(31, i), Point::last, 100);
    ASSERT_TRUE(met.partner) << i;
    EXPECT_EQ(met.partner->flow, i);
  }
}

TEST(MatchTable, MakesRoomAndHandsOutWhatNobodyCanMeetAnyMore) {
  MatchTable table{1s, lines};
  for (std::uint64_t i = 0; i < 30; ++i)
    table.wait(key_in(i, i), {i < 10 ? 0 : 2'000'000'000, static_cast<std::uint32_t>(i),
                              i % 2 == 0 ? Point::first : Point::last});
  std::vector<MatchTable::Entry> expired;
  table.make_room(2, {1'000'000'001, 1'000'000'001}, expired);
  EXPECT_TRUE(expired.empty()) << "there is room";
  // Only the last point has advanced by more than a window: packets waiting at the first are lost.
  table.make_room(10, {1'000'000'000, 1'000'000'001}, expired);
  ASSERT_EQ(expired.size(), 5u);
  for (const MatchTable::Entry& entry : expired) {
    EXPECT_EQ(entry.point, Point::first);
    EXPECT_EQ(entry.flow % 2, 0u);
    EXPECT_EQ(entry.time_ns, 0);
  }
  std::vector<MatchTable::Entry> waiting;
  table.take_all(waiting);
  EXPECT_EQ(waiting.size(), 25u);
  EXPECT_GE(table.memory_bytes(), 64u * (lines + 2 * lines)) << "both, while it grew";
  waiting.clear();
  table.take_all(waiting);
  EXPECT_TRUE(waiting.empty());
}

}  // namespace
}  // namespace sojourn
