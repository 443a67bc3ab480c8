#include "estimate/path_legs.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

void add(Measurement& measurement, Kind kind, Leg leg, Duration delay, int samples) {
  for (int i = 0; i < samples; ++i) measurement.add_light(kind, leg, {}, delay + i * 1us);
}

TEST(PathLegs, SayOnWhichLegTheDelayIs) {
  Measurement measurement;
  add(measurement, Kind::handshake, Leg::server, 20ms, 50);
  add(measurement, Kind::handshake, Leg::client, 5ms, 50);
  add(measurement, Kind::handshake, Leg::sum, 25ms, 50);
  add(measurement, Kind::tcp, Leg::client, 200ms, 500);  // acknowledged late
  add(measurement, Kind::tcp, Leg::server, 20ms, 500);
  const auto path = path_legs(measurement);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->kind, Kind::handshake);
  EXPECT_EQ(path->far.leg, Leg::server);
  EXPECT_NEAR(path->far_share(), 0.8, 0.01);
  EXPECT_TRUE(path->certain());
}

TEST(PathLegs, TakeTheKindWithEnoughOnBothLegs) {
  Measurement measurement;
  add(measurement, Kind::handshake, Leg::server, 20ms, 3);
  add(measurement, Kind::handshake, Leg::client, 5ms, 3);
  add(measurement, Kind::tcp, Leg::internal, 1ms, 100);
  add(measurement, Kind::tcp, Leg::external, 1ms, 100);
  const auto path = path_legs(measurement);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->kind, Kind::tcp);
  EXPECT_EQ(path->near.leg, Leg::internal);
  EXPECT_FALSE(path->certain()) << "both legs take the same time";
  EXPECT_EQ(path_legs(measurement, 1)->kind, Kind::handshake);
}

TEST(PathLegs, NeedBothLegs) {
  Measurement measurement;
  add(measurement, Kind::tcp, Leg::server, 20ms, 100);
  add(measurement, Kind::dns, Leg::server, 20ms, 100);
  EXPECT_FALSE(path_legs(measurement));
  add(measurement, Kind::tcp, Leg::client, -5ms, 1);
  EXPECT_EQ(path_legs(measurement)->far_share(), 1) << "a clock that stepped takes no time away";
}

}  // namespace
}  // namespace sojourn
