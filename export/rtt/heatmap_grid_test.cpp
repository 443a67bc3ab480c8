#include "export/rtt/heatmap_grid.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon = timestamp_from_ns(1'794'052'800'000'000'000);

/// Four seconds: in second i there are i + 1 short delays, in the last one a long delay as well.
DelayHeatmap four_seconds() {
  DelayHeatmap heatmap{1s};
  for (int second = 0; second < 4; ++second)
    for (int i = 0; i <= second; ++i) {
      heatmap.add(noon + second * 1s, Kind::dns, Leg::server, 1ms, 1);
      heatmap.add_requests(noon + second * 1s, Kind::dns, 2);
      heatmap.add_answered(noon + second * 1s, Kind::dns, 1);
    }
  heatmap.add(noon + 3s, Kind::dns, Leg::server, 64ms, 5);
  return heatmap;
}

TEST(HeatmapGrid, JoinsColumnsAndRowsAndKeepsTheirPlaces) {
  const HeatmapGrid grid = grid_of(four_seconds(), {Kind::dns, Leg::server}, 2, 5);
  ASSERT_EQ(grid.columns, 2u);
  ASSERT_EQ(grid.rows, 5u);
  EXPECT_EQ(grid.column_length, 2s);
  EXPECT_EQ(grid.at(0, 0), 3);
  EXPECT_EQ(grid.at(1, 0), 7);
  EXPECT_EQ(grid.at(0, 4), 0);
  EXPECT_EQ(grid.at(1, 4), 5);
  EXPECT_EQ(grid.heaviest, 7);
  ASSERT_EQ(grid.unanswered.size(), 2u);
  EXPECT_EQ(grid.unanswered[1], 0.5);
  EXPECT_LE(grid.lowest[0], 1ms);
  EXPECT_GT(grid.lowest[1], 1ms);
  EXPECT_LE(grid.lowest[4], 64ms);
  EXPECT_GT(grid.lowest[5], 64ms);
}

TEST(HeatmapGrid, LevelsAreOfTheLogarithm) {
  const HeatmapGrid grid = grid_of(four_seconds(), {Kind::dns, Leg::server}, 4, 5);
  EXPECT_EQ(grid.level(0, 4, 4), 0u) << "empty";
  EXPECT_EQ(grid.level(0, 0, 4), 2u) << "log 2 of log 6 is 1.5 of 4";
  EXPECT_EQ(grid.level(3, 4, 4), 4u) << "the heaviest";
}

}  // namespace
}  // namespace sojourn
