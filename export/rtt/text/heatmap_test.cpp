// Delay over time as text.

#include <gtest/gtest.h>

#include <algorithm>

#include "export/rtt/heatmap_grid.h"
#include "export/rtt/test_heatmap.h"
#include "export/rtt/text/text_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST_F(HeatmapTest, SaysWhenDelaysWereLongAndRequestsUnanswered) {
  const HeatmapGrid grid = grid_of(*measurement.heatmap(), {Kind::dns, Leg::server}, 40, 8);
  ASSERT_GT(grid.columns, 5u);
  double share_in_trouble = 0, share_else = 0;
  for (std::size_t column = 0; column < grid.columns; ++column) {
    const Timestamp from = grid.start + grid.column_length * static_cast<std::int64_t>(column);
    const double share = grid.unanswered[column].value_or(0);
    const bool inside = from >= start + 5s && from + grid.column_length <= start + 6s;
    const bool outside = from + grid.column_length <= start + 5s || from >= start + 6s;
    if (inside) share_in_trouble = std::max(share_in_trouble, share);
    if (outside) share_else = std::max(share_else, share);
    EXPECT_EQ(grid.level(column, grid.rows - 1, 4) > 0,
              !outside && grid.at(column, grid.rows - 1) > 0);
  }
  EXPECT_NEAR(share_in_trouble, 0.5, 0.05);
  EXPECT_EQ(share_else, 0);
  const std::string text = text_report(report);
  EXPECT_NE(text.find("delay over time: dns server, a column is"), std::string::npos);
  EXPECT_NE(text.find("share of requests unanswered; the highest column is 5"), std::string::npos)
      << text;
}

TEST_F(HeatmapTest, SaysNothingOfUnansweredSegments) {
  report.kinds = KindSet::none();
  report.kinds.add(Kind::tcp);
  report.kinds_named = true;
  const std::string text = text_report(report);
  EXPECT_NE(text.find("delay over time: tcp client"), std::string::npos);
  EXPECT_EQ(text.find("share of requests unanswered"), std::string::npos);
}

/// At the end of the tenth second the problem of the sixth has scrolled out of a narrow screen.
TEST_F(HeatmapTest, ShowsItsLatestColumnsFirstOnAScreen) {
  const ScreenSize screen{24, 80}, narrow{24, 26};
  const std::string page = fitted(live_report(report, {}, screen), screen);
  EXPECT_LE(std::ranges::count(page, '\n'), 23);
  EXPECT_NE(page.find("delay over time: dns server"), std::string::npos) << page;
  EXPECT_NE(page.find("median"), std::string::npos) << page;
  EXPECT_NE(page.find("the highest column is"), std::string::npos) << page;
  EXPECT_EQ(live_report(report, {}, narrow).find("the highest column is"), std::string::npos);
  const DelayHeatmap& heatmap = *measurement.heatmap();
  const HeatmapGrid latest =
      grid_of(heatmap, {Kind::dns, Leg::server}, 15, 8, heatmap.columns() - 15);
  EXPECT_EQ(latest.columns, 15u);
  EXPECT_EQ(latest.column_length, heatmap.length());
  EXPECT_EQ(latest.start, heatmap.start_of(heatmap.columns() - 15));
}

}  // namespace
}  // namespace sojourn
