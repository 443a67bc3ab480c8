// Delay over time: which panels, how they are reduced to the size of a drawing, and drawn.

#include <gtest/gtest.h>

#include "export/rtt/heatmap_grid.h"
#include "export/rtt/json_report.h"
#include "export/rtt/svg_heatmap.h"
#include "export/rtt/test_heatmap.h"

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

TEST_F(HeatmapTest, DrawsTheFullestKindUnlessKindsAreNamed) {
  const auto one = heatmap_panels(measurement, KindSet::all(), false);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].kind, Kind::dns);
  const auto all = heatmap_panels(measurement, KindSet::all(), true);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].leg, Leg::client);
}

TEST_F(HeatmapTest, IsDrawnAsSvgOfBoundedSize) {
  report.kinds_named = true;
  const std::string svg = svg_heatmap(report);
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find(">dns server<"), std::string::npos);
  EXPECT_NE(svg.find(">unanswered<"), std::string::npos);
  EXPECT_EQ(svg.find("\"nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.find(">0 %<"), std::string::npos) << "the scale of unanswered requests";
  EXPECT_LT(svg.size(), 100'000u);
}

TEST_F(HeatmapTest, IsInTheJsonOnlyWhenAsked) {
  EXPECT_NE(json_report(report).find("\"heatmap\""), std::string::npos);
  Measurement plain;
  report.measurement = &plain;
  EXPECT_EQ(json_report(report).find("\"heatmap\""), std::string::npos);
}

}  // namespace
}  // namespace sojourn
