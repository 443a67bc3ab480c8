#include "roundtrip/tailored/lease_room.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sojourn {
namespace {

using Chances = std::array<double, WaitSteps::count>;

constexpr unsigned seen = 30, last = 47;  // 33 ms and 11.6 s

/// Much for the delays seen, little for longer ones.
Chances shape() {
  Chances shape{};
  for (unsigned j = 0; j <= last; ++j) shape[j] = j <= seen ? 1 : 0.01;
  return shape;
}
Chances chances_with(double slots_a_request_ns, double unanswered = 1) {
  LeaseRoom room{.slots_a_line = 7, .slots_a_request_ns = slots_a_request_ns};
  room.unanswered.fill(unanswered);
  return scaled_to_room(shape(), room);
}

TEST(LeaseRoom, RefusesAsErlangSays) {
  double sum = 0, term = 1;  // 3.5^7 / 7! by the sum of 3.5^k / k!
  for (int k = 0; k <= 7; ++k) {
    sum += term;
    if (k < 7) term *= 3.5 / (k + 1);
  }
  EXPECT_NEAR(refused_share(7, 0.5), term / sum, 1e-12);
  EXPECT_EQ(refused_share(7, 0), 0);
}

TEST(LeaseRoom, AllWaitWhereAllFit) {
  const Chances chances = chances_with(100e9);  // a tenth of the slots wait, at most
  for (unsigned j = 1; j <= last; ++j) EXPECT_EQ(chances[j], 1) << j;
}

TEST(LeaseRoom, WhatIsSeenIsKeptAsTheRoomGetsTight) {
  double before = 1;
  for (double room_ns = 100e9; room_ns > 0.2e9; room_ns /= 1.3) {
    const Chances chances = chances_with(room_ns);
    EXPECT_EQ(chances[seen], 1) << room_ns;
    EXPECT_LE(chances[last], before) << room_ns;
    EXPECT_GT(chances[last], 0.3 * before) << room_ns;  // and no sudden fall
    before = chances[last];
  }
  EXPECT_LT(before, 0.1);
}

TEST(LeaseRoom, ShortMemoryIsOfferedThreeTimesAtMost) {
  const Chances chances = chances_with(1e6);
  double wait = 0;
  for (unsigned j = 1; j <= last; ++j)
    wait +=
        chances[j] * static_cast<double>(WaitSteps::longest_ns(j) - WaitSteps::longest_ns(j - 1));
  EXPECT_LT(wait, 3.6e6);  // the scale moves in quarter octaves
  EXPECT_GT(wait, 2.4e6);
}

TEST(LeaseRoom, WhatLiesBeyondTheHorizonCostsNothingYet) {
  LeaseRoom room{.slots_a_line = 7, .slots_a_request_ns = 3e9};
  room.unanswered.fill(1);
  EXPECT_LT(scaled_to_room(shape(), room)[last], 0.9);
  room.horizon_ns = 0.1e9;
  EXPECT_EQ(scaled_to_room(shape(), room)[last], 1);
}

TEST(LeaseRoom, AnswersMakeRoom) {
  EXPECT_GT(chances_with(3e9, 0.1)[last], 2 * chances_with(3e9, 1)[last]);
}

}  // namespace
}  // namespace sojourn
