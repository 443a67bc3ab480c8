#include "pipeline/marking/marking_join.h"

#include <gtest/gtest.h>

#include "oneway/marking/test_marking_path.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr MarkingInterval of_a_second{0};

/// A packet every 10 ms for six seconds, each with this delay; one is lost.
MarkingOutcome path_of(Duration delay) {
  MarkingScenario scenario{.method = MarkingMethod::multiplexed, .length = of_a_second};
  for (int i = 0; i < 600; ++i)
    scenario.packets.push_back({of_a_second.start_of(1000) + i * 10ms, delay, 0});
  scenario.packets[203].delay.reset();
  return run(scenario);
}

MarkingPointFile file_of(const std::string& point, const std::string& duty,
                         const PointRecords& records) {
  MarkingPointFile file;
  file.point = point;
  file.duty = duty;
  file.carrier = "dscp:0";
  file.length = of_a_second;
  file.flows = {"protocol=udp"};
  file.records = records;
  return file;
}

std::vector<MarkingPointFile> three_points() {
  const MarkingOutcome near = path_of(1ms), far = path_of(3ms);
  std::vector<MarkingPointFile> files = {file_of("north", "mark", far.first),
                                         file_of("middle", "observe", near.last),
                                         file_of("south", "observe", far.last)};
  files.front().clock_error = 20us;
  files.back().clock_error = 30us;
  return files;
}

std::vector<std::string> names_of_tables(const OnewayResult& result) {
  std::vector<std::string> names;
  for (const ResultTable& table : result.tables) names.push_back(table.name);
  return names;
}

TEST(MarkingJoin, GivesLossDelayAndHops) {
  const auto marking = measure_marking_points(three_points(), {});
  ASSERT_TRUE(marking) << marking.error().message;
  EXPECT_FALSE(marking->empty());
  const OnewayMeasurement& measured = marking->measured;
  EXPECT_EQ(measured.inputs[0].packets, 600u);
  EXPECT_EQ(measured.inputs[1].packets, 599u);
  ASSERT_TRUE(measured.inputs[0].first && measured.inputs[0].last);
  EXPECT_LT(*measured.inputs[0].first, *measured.inputs[0].last);
  EXPECT_EQ(measured.result.sent, 600u);
  EXPECT_EQ(measured.result.lost, 1u);
  ASSERT_EQ(measured.result.flows.size(), 1u);
  EXPECT_EQ(measured.delays.count(), 1u) << "of the flow";
  EXPECT_EQ(names_of_tables(measured.result), (std::vector<std::string>{"intervals", "hops"}));
  ASSERT_EQ(measured.result.tables[1].rows.size(), 2u);
  EXPECT_EQ(measured.result.tables[1].rows[0][1].text, "middle");
  EXPECT_EQ(marking->clock_error, Duration{50us}) << "of both ends";
}

TEST(MarkingJoin, WhatIsSaidOfTheClocksGoesBeforeWhatThePointsKnew) {
  OnewaySetup setup;
  setup.clock_error = 7us;
  const auto marking = measure_marking_points(three_points(), setup);
  ASSERT_TRUE(marking);
  EXPECT_EQ(marking->clock_error, Duration{7us});
}

TEST(MarkingJoin, SegmentsGiveClustersInsteadOfHops) {
  OnewaySetup setup;
  setup.segments = {{0, 1}, {1, last_point}};
  const auto marking = measure_marking_points(three_points(), setup);
  ASSERT_TRUE(marking) << marking.error().message;
  EXPECT_EQ(names_of_tables(marking->measured.result),
            (std::vector<std::string>{"intervals", "clusters", "cluster_intervals"}));
}

TEST(MarkingJoin, SaysIfNoIntervalIsValid) {
  OnewaySetup setup;
  setup.clock_error = 10s;
  const auto marking = measure_marking_points(three_points(), setup);
  ASSERT_TRUE(marking);
  ASSERT_FALSE(marking->measured.result.notes.empty());
  EXPECT_EQ(marking->measured.result.lost, std::nullopt);
}

TEST(MarkingJoin, PointsThatDifferAreRefused) {
  auto files = three_points();
  files.back().method = MarkingMethod::step;
  EXPECT_FALSE(measure_marking_points(files, {}));
}

}  // namespace
}  // namespace sojourn
