#include "collector/pair_clock.h"

#include <gtest/gtest.h>

#include "collector/network.h"

namespace sojourn {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr Timestamp now = timestamp_from_ns(1'700'000'000'000'000'000);

TEST(PairClock, WithoutTrafficBothWaysTheSignsTell) {
  PairClock clock;
  EXPECT_FALSE(clock.bounded() || clock.low_ns() || clock.high_ns());
  clock.reading(1, 2, now, 5 * ms);
  clock.reading(3, 4, now, 5 * ms);
  clock.reading(5, 6, now, -5 * ms);
  EXPECT_TRUE(clock.forward(5 * ms) && clock.forward(-5 * ms)) << "most were positive";
  clock.expect(false);
  EXPECT_FALSE(clock.forward(5 * ms)) << "a path that was named tells better";
  clock.state_error(2 * ms);
  EXPECT_TRUE(clock.forward(5 * ms)) << "beyond what the clocks may be wrong by";
  EXPECT_FALSE(clock.forward(-5 * ms));
  EXPECT_FALSE(clock.forward(1 * ms)) << "within it";
}

TEST(PairClock, AConversationBoundsTheOffsetAndReadingsCloseTheBounds) {
  PairClock clock;
  clock.reading(1, 2, now, 10 * ms);
  clock.reading(2, 1, now, -4 * ms);
  ASSERT_TRUE(clock.bounded());
  EXPECT_EQ(clock.low_ns(), -4 * ms);
  EXPECT_EQ(clock.high_ns(), 10 * ms);
  EXPECT_TRUE(clock.forward(4 * ms)) << "above the middle";
  EXPECT_FALSE(clock.forward(2 * ms));
  clock.reading(5, 6, now, 6 * ms);
  EXPECT_EQ(clock.high_ns(), 6 * ms) << "a shorter delay forward";
  clock.reading(7, 8, now, -1 * ms);
  EXPECT_EQ(clock.low_ns(), -1 * ms) << "a shorter delay backward";
  clock.reading(9, 10, now, 9 * ms);
  clock.reading(11, 12, now, -9 * ms);
  EXPECT_EQ(clock.high_ns(), 6 * ms) << "longer ones tell nothing";
  EXPECT_EQ(clock.low_ns(), -1 * ms);
  EXPECT_EQ(clock.steps(), 0u);
}

TEST(Network, APlaceIsKnownByItsName) {
  Network network{{}};
  const auto north = network.place_named("north"), south = network.place_named("south");
  ASSERT_TRUE(north && south);
  EXPECT_NE(*north, *south);
  EXPECT_EQ(network.place_named("north"), north);
  EXPECT_EQ(network.place_named("south"), south);
  EXPECT_EQ(network.places.size(), 2u);
  EXPECT_EQ(network.subjects.size(), 2u);
}

}  // namespace
}  // namespace sojourn
