#include "oneway/direction.h"

#include <gtest/gtest.h>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Even flows go forward in 1 ms, each with an odd counterpart that comes back in 2 ms.
void connection(DirectionFinder& finder, std::uint32_t number, Duration at, Duration offset) {
  const FlowKey key = test_flow_key(number);
  finder.reading(2 * number, key, test_time(at), 1ms + offset);
  finder.reading(2 * number + 1, key.reversed(), test_time(at + 4ms), -2ms + offset);
}

TEST(DirectionFinder, TellsAFlowFromItsCounterpartWhateverTheOffset) {
  for (const Duration offset : {0s, 5s, -5s}) {
    DirectionFinder finder;
    EXPECT_FALSE(finder.both_ways());
    connection(finder, 7, 0s, offset);
    EXPECT_TRUE(finder.both_ways());
    EXPECT_EQ(finder.known(14), Direction::forward);
    EXPECT_EQ(finder.known(15), Direction::backward);
    EXPECT_FALSE(finder.known(16));
    EXPECT_FALSE(finder.known(1'000));
  }
}

TEST(DirectionFinder, DoesNotDependOnWhoComesFirst) {
  DirectionFinder finder;
  const FlowKey key = test_flow_key(1);
  finder.reading(0, key.reversed(), test_time(0s), 3s - 2ms);
  finder.reading(1, key, test_time(1ms), 3s + 1ms);
  EXPECT_EQ(finder.known(0), Direction::backward);
  EXPECT_EQ(finder.known(1), Direction::forward);
}

TEST(DirectionFinder, KnowsWhoseOffsetItKnows) {
  DirectionFinder finder;
  connection(finder, 0, 0s, 3s);
  finder.reading(2, test_flow_key(1), test_time(1s), 3s + 10ms);  // no response
  finder.reading(3, test_flow_key(2), test_time(1s), 3s - 10ms);
  EXPECT_EQ(finder.known(2), Direction::forward);
  EXPECT_EQ(finder.known(3), Direction::backward);
  EXPECT_EQ(finder.likely(4, 3s - 10ms), Direction::backward);
  EXPECT_EQ(finder.likely(4, 3s + 10ms), Direction::forward);
  EXPECT_EQ(DirectionFinder{}.likely(4, -5s), Direction::forward) << "one-way traffic";
}

// A response after 100 ms leaves the offset uncertain by that much; the next one is still a
// response.
TEST(DirectionFinder, IsNotMisledByALateAnswer) {
  DirectionFinder finder;
  finder.reading(0, test_flow_key(0), test_time(0s), 1ms);
  finder.reading(1, test_flow_key(0).reversed(), test_time(0s), -100ms);
  connection(finder, 1, 1s, 0s);
  EXPECT_EQ(finder.known(2), Direction::forward);
  EXPECT_EQ(finder.known(3), Direction::backward);
  // Without a counterpart it is decided after some readings.
  for (int i = 0; i < 7; ++i) {
    finder.reading(4, test_flow_key(9), test_time(2s), -1900us);
    EXPECT_FALSE(finder.known(4)) << i;
  }
  finder.reading(4, test_flow_key(9), test_time(2s), -1900us);
  EXPECT_EQ(finder.known(4), Direction::backward);
}

TEST(DirectionFinder, LeavesOpenWhatADriftMayHaveDone) {
  DirectionFinder finder;
  // Ten seconds at 200 ppm are 2 ms: these readings may be the same direction.
  finder.reading(0, test_flow_key(1), test_time(0s), 1ms);
  finder.reading(1, test_flow_key(1).reversed(), test_time(10s), 2900us);
  EXPECT_FALSE(finder.both_ways());
  finder.reading(1, test_flow_key(1).reversed(), test_time(10s), 3100us);
  EXPECT_TRUE(finder.both_ways());
  EXPECT_EQ(finder.known(0), Direction::backward);
}

TEST(DirectionFinder, FollowsADrift) {
  DirectionFinder finder;
  // 100 ppm: after 200 s the offset has moved by 20 ms, far beyond the delays.
  for (std::uint32_t i = 0; i < 200; ++i) connection(finder, i, i * 1s, i * 100us);
  EXPECT_TRUE(finder.both_ways());
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(finder.known(2 * i), Direction::forward) << i;
    EXPECT_EQ(finder.known(2 * i + 1), Direction::backward) << i;
  }
  for (int i = 0; i < 8; ++i) {  // no response
    finder.reading(400, test_flow_key(900), test_time(200s), 20ms + 1ms);
    finder.reading(401, test_flow_key(901), test_time(200s), 20ms - 2ms);
  }
  EXPECT_EQ(finder.known(400), Direction::forward);
  EXPECT_EQ(finder.known(401), Direction::backward);
}

// Both directions pass FIRST and then LAST, as on a loop: there is only one direction.
TEST(DirectionFinder, IsNotMisledByTwoThatGoTheSameWay) {
  DirectionFinder finder;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const FlowKey key = test_flow_key(i);
    finder.reading(2 * i, key, test_time(i * 1ms), i % 2 ? 1ms : 3ms);
    finder.reading(2 * i + 1, key.reversed(), test_time(i * 1ms), i % 2 ? 3ms : 1ms);
    finder.reading(2 * i, key, test_time(i * 1ms), i % 2 ? 3ms : 1ms);
    finder.reading(2 * i + 1, key.reversed(), test_time(i * 1ms), i % 2 ? 1ms : 3ms);
  }
  EXPECT_FALSE(finder.both_ways());
}

TEST(Direction, HasAnOpposite) {
  EXPECT_EQ(opposite(Direction::forward), Direction::backward);
  EXPECT_EQ(opposite(Direction::backward), Direction::forward);
  EXPECT_EQ(name_of(Direction::forward), "first-to-last");
  EXPECT_EQ(name_of(Direction::backward), "last-to-first");
}

}  // namespace
}  // namespace sojourn
