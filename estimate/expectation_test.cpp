#include "estimate/expectation.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Measurement measured(Duration server, int server_samples, Duration client, int client_samples) {
  Measurement measurement;
  for (int i = 0; i < server_samples; ++i)
    measurement.add_light(Kind::tcp, Leg::server, {}, server + i * 37 % 100 * 1us);
  for (int i = 0; i < client_samples; ++i)
    measurement.add_light(Kind::tcp, Leg::client, {}, client + i * 37 % 100 * 10ns);
  for (int i = 0; i < 10; ++i) measurement.add_light(Kind::ntp, Leg::server, {}, 5ms);
  return measurement;
}

Expectation taken(const Measurement& measurement) {
  return take_expectation(measurement, KindSet::all());
}

TEST(Expectation, KeepsLegsApart) {
  // Which side uploads changes the number of samples per leg; that is no change of delay.
  const auto before = taken(measured(20ms, 900, 100us, 100)),
             after = taken(measured(20ms, 100, 100us, 900));
  const auto comparison = compare(before, after, {.false_alarm = 0.001, .tolerance = 0.05});
  EXPECT_FALSE(comparison.shifted());
  ASSERT_EQ(comparison.results.size(), 3u);
  EXPECT_EQ(comparison.compared, 2u);
  EXPECT_DOUBLE_EQ(comparison.significance, 0.0005);
  EXPECT_EQ(comparison.results[2].verdict, ShiftVerdict::too_few);  // ntp
  EXPECT_FALSE(comparison.results[2].test);
}

TEST(Expectation, SaysWhichLegShifted) {
  const auto before = taken(measured(20ms, 500, 100us, 500)),
             after = taken(measured(30ms, 500, 100us, 500));
  const auto comparison = compare(before, after, {});
  EXPECT_TRUE(comparison.shifted());
  EXPECT_EQ(comparison.results[0].verdict, ShiftVerdict::slower);
  EXPECT_EQ(comparison.results[0].leg, Leg::server);
  EXPECT_EQ(comparison.results[1].verdict, ShiftVerdict::same);
  EXPECT_EQ(compare(after, before, {}).results[0].verdict, ShiftVerdict::faster);
}

TEST(Expectation, TakesOfAHandshakeOnlyTheWhole) {
  Measurement measurement;
  for (const Leg leg : {Leg::server, Leg::client, Leg::sum})
    for (int i = 0; i < 50; ++i) measurement.add_light(Kind::handshake, leg, {}, 10ms);
  const auto expectation = taken(measurement);
  ASSERT_EQ(expectation.parts.size(), 1u);
  EXPECT_EQ(expectation.parts[0].leg, Leg::sum);
}

TEST(Expectation, TakesGroupsWithEnoughSamplesInTheOrderOfTheirNames) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("prefix/32");
  Measurement measurement{options};
  const auto add = [&](const char* responder, int samples) {
    for (int i = 0; i < samples; ++i) {
      Sample sample;
      sample.kind = Kind::tcp;
      sample.leg = Leg::server;
      sample.delay = 20ms;
      sample.responder = *IpAddress::parse(responder);
      measurement.add(sample);
    }
  };
  add("192.0.2.2", 30);
  add("192.0.2.1", 100);
  add("192.0.2.3", 29);
  Expectation expectation = taken(measurement);
  take_groups(measurement, KindSet::all(), expectation);
  EXPECT_EQ(expectation.grouping, measurement.grouping()->name());
  ASSERT_EQ(expectation.groups.size(), 2u);
  EXPECT_TRUE(expectation.groups[0].label.contains("192.0.2.1")) << expectation.groups[0].label;
  EXPECT_TRUE(expectation.groups[1].label.contains("192.0.2.2")) << expectation.groups[1].label;

  Expectation without;
  take_groups(measured(20ms, 900, 100us, 100), KindSet::all(), without);
  EXPECT_TRUE(without.grouping.empty());
  EXPECT_TRUE(without.groups.empty());
}

TEST(Expectation, ComparesOnlyWhatBothHave) {
  const auto before = taken(measured(20ms, 500, 100us, 500));
  const auto comparison = compare(before, Expectation{}, {});
  EXPECT_FALSE(comparison.shifted());
  EXPECT_EQ(comparison.compared, 0u);
  EXPECT_EQ(comparison.results.size(), 3u);
  EXPECT_EQ(comparison.results[0].now.samples, 0u);
  EXPECT_EQ(comparison.results[0].expected.samples, 500u);
  KindSet only_ntp = KindSet::none();
  only_ntp.add(Kind::ntp);
  EXPECT_EQ(take_expectation(measured(20ms, 5, 1ms, 5), only_ntp).parts.size(), 1u);
}

}  // namespace
}  // namespace sojourn
