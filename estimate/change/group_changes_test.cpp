#include "estimate/change/group_changes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "core/host_names.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon = timestamp_from_ns(1'794'052'800'000'000'000);
constexpr int ports = 20;

/// Twenty services, each with 120 samples of 60 flows before noon and after.  Delays are lognormal,
/// and flows differ: half of the variance is between them.  From noon on, those of port
/// `slower_port` are `factor` times as long.
Measurement measured(std::uint64_t seed, int slower_port, double factor) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  options.split = noon;
  Measurement measurement{options};
  std::mt19937_64 random{seed};
  std::normal_distribution<double> normal;
  for (int port = 1; port <= ports; ++port)
    for (const bool after : {false, true})
      for (int flow = 0; flow < 60; ++flow) {
        const std::uint64_t tag = random() | 1u;
        const double level = 0.3 * normal(random);
        for (int i = 0; i < 2; ++i) {
          Sample sample;
          sample.time = noon + (after ? 1s : -1s) * (1 + flow);
          sample.flow = tag;
          sample.responder_port = static_cast<std::uint16_t>(port);
          const double scale = after && port == slower_port ? factor : 1;
          sample.delay =
              Duration{std::llround(20e6 * scale * std::exp(level + 0.3 * normal(random)))};
          measurement.add(sample);
        }
      }
  return measurement;
}

std::size_t changed(const GroupChanges& changes) {
  return changes.count(ShiftVerdict::slower) + changes.count(ShiftVerdict::faster) +
         changes.count(ShiftVerdict::changed_shape);
}

/// At a rate of 5 %, more than 21 of 200 pairs have probability 7e-4.
TEST(GroupChanges, CallNoGroupOfUnchangedPairsChangedMoreOftenThanAskedFor) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const GroupChanges changes =
        compare_groups(measured(seed, 0, 1), {.false_alarm = 0.05, .tolerance = 0}, 10);
    ASSERT_EQ(changes.compared, std::size_t{ports});
    alarms += changed(changes) > 0;
  }
  EXPECT_LE(alarms, 21);
}

/// If each of the 20 were judged alone (5 % for the first step), it would be noticed.
TEST(GroupChanges, WouldNoticeThatTheirNumberWasForgotten) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    alarms += changed(compare_groups(measured(seed, 0, 1),
                                     {.false_alarm = 0.05 * ports, .tolerance = 0}, 10)) > 0;
  EXPECT_GT(alarms, 21);
}

/// The twin: with a service that became 60 % slower, the same pairs must be noticed.
TEST(GroupChanges, NoticeTheServiceThatBecameSlower) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const GroupChanges changes =
        compare_groups(measured(seed, 7, 1.6), {.false_alarm = 0.05, .tolerance = 0}, 10);
    if (changes.shown[0].label == "port 7" && changes.shown[0].verdict == ShiftVerdict::slower)
      ++noticed;
  }
  EXPECT_GE(noticed, 45);
}

/// The same against a stored run: half of the samples each.
struct TwoRuns {
  Expectation then;
  Measurement now;
};
TwoRuns two_runs(std::uint64_t seed, int slower_port, double factor) {
  std::array<Measurement, 2> runs;
  for (const bool second : {false, true}) {
    MeasurementOptions options;
    options.grouping = *Grouping::parse("port");
    runs[second] = Measurement{options};
    std::mt19937_64 random{seed * 2 + second};
    std::normal_distribution<double> normal;
    for (int port = 1; port <= ports; ++port)
      for (int flow = 0; flow < 60; ++flow) {
        const std::uint64_t tag = random() | 1u;
        const double level = 0.3 * normal(random);
        for (int i = 0; i < 2; ++i) {
          Sample sample;
          sample.time = noon;
          sample.flow = tag;
          sample.responder_port = static_cast<std::uint16_t>(port);
          const double scale = second && port == slower_port ? factor : 1;
          sample.delay =
              Duration{std::llround(20e6 * scale * std::exp(level + 0.3 * normal(random)))};
          runs[second].add(sample);
        }
      }
  }
  TwoRuns result{take_expectation(runs[0], KindSet::all()), std::move(runs[1])};
  take_groups(runs[0], KindSet::all(), result.then);
  return result;
}
GroupChanges compared(const TwoRuns& runs, double false_alarm) {
  return compare_groups(runs.then, runs.now, KindSet::all(),
                        {.false_alarm = false_alarm, .tolerance = 0}, 10);
}

/// At a rate of 5 %, more than 21 of 200 pairs have probability 7e-4.
TEST(GroupChanges, SinceAnotherRunKeepToTheFalseAlarmsAskedFor) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const GroupChanges changes = compared(two_runs(seed, 0, 1), 0.05);
    ASSERT_EQ(changes.compared, std::size_t{ports});
    alarms += changes.any_changed();
  }
  EXPECT_LE(alarms, 21);
}

/// That test would notice if twenty groups were each judged alone.
TEST(GroupChanges, SinceAnotherRunWouldNoticeThatTheirNumberWasForgotten) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    alarms += compared(two_runs(seed, 0, 1), 0.05 * ports).any_changed();
  EXPECT_GT(alarms, 21);
}

/// The twin: a service that became 60 % slower must be noticed.
TEST(GroupChanges, SinceAnotherRunNoticeTheServiceThatBecameSlower) {
  int noticed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const GroupChanges changes = compared(two_runs(seed, 7, 1.6), 0.05);
    noticed +=
        changes.shown[0].label == "port 7" && changes.shown[0].verdict == ShiftVerdict::slower;
  }
  EXPECT_GE(noticed, 45);
}

TEST(GroupChanges, SinceAnotherRunCountWhoIsGoneAndWhoIsNew) {
  TwoRuns runs = two_runs(1, 0, 1);
  runs.then.groups.erase(runs.then.groups.begin());  // that port is new
  runs.then.groups.push_back(runs.then.groups.back());
  runs.then.groups.back().label = "port 99";
  const GroupChanges changes = compared(runs, 0.05);
  EXPECT_FALSE(changes.at);
  EXPECT_EQ(changes.compared, std::size_t{ports - 1});
  EXPECT_EQ(changes.gone, 1u);
  EXPECT_EQ(changes.fresh, 1u);
}

/// The name of a host may be known in one run only, and may change.
TEST(GroupChanges, SinceAnotherRunKnowHostsByTheirAddress) {
  std::array<Measurement, 2> runs;
  Sample sample;
  sample.responder = *IpAddress::parse("192.0.2.1");
  sample.delay = std::chrono::milliseconds{20};
  for (const bool second : {false, true}) {
    auto names = std::make_shared<HostNames>();
    names->learn(sample.responder, second ? "www.example.com" : "a.example.net",
                 HostNames::From::server);
    MeasurementOptions options;
    options.grouping = *Grouping::parse("host");
    options.grouping->name_hosts(names);
    runs[second] = Measurement{options};
    for (int i = 0; i < 200; ++i) runs[second].add(sample);
  }
  Expectation then;
  take_groups(runs[0], KindSet::all(), then);
  const GroupChanges changes = compare_groups(then, runs[1], KindSet::all(), {}, 10);
  EXPECT_EQ(changes.gone, 0u);
  EXPECT_EQ(changes.fresh, 0u);
  ASSERT_EQ(changes.shown.size(), 1u);
  EXPECT_EQ(changes.shown[0].label, "192.0.2.1 (www.example.com)");
}

TEST(GroupChanges, SayNothingOfGroupsWithFewSamples) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  options.split = noon;
  Measurement measurement{options};
  Sample sample;
  sample.delay = 1ms;
  sample.time = noon - 1ns;
  measurement.add(sample);
  sample.time = noon;
  sample.delay = 1s;
  measurement.add(sample);
  sample.responder_port = 9;  // only after
  measurement.add(sample);
  const GroupChanges changes = compare_groups(measurement, {}, 10);
  EXPECT_EQ(changes.compared, 0u);
  ASSERT_EQ(changes.shown.size(), 1u);
  EXPECT_EQ(changes.shown[0].verdict, ShiftVerdict::too_few);
  EXPECT_EQ(changes.shown[0].before.median, 1ms);
  EXPECT_EQ(changes.shown[0].after.median, 1s);
}

TEST(GroupChanges, JoinThreads) {
  Measurement left = measured(3, 7, 1.6), right = measured(4, 7, 1.6);
  left.merge(std::move(right));
  const GroupChanges changes = compare_groups(left, {.false_alarm = 0.05, .tolerance = 0}, 3);
  EXPECT_EQ(changes.shown.size(), 3u);
  EXPECT_EQ(changes.shown[0].label, "port 7");
  EXPECT_EQ(changes.shown[0].before.samples, 240u);
}

}  // namespace
}  // namespace sojourn
