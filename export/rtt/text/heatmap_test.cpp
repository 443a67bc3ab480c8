// Delay over time: which panels, and how they are drawn.

#include <gtest/gtest.h>

#include <algorithm>

#include "export/rtt/heatmap_grid.h"
#include "export/rtt/json_report.h"
#include "export/rtt/svg_heatmap.h"
#include "export/rtt/text/text_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Ten seconds of DNS at 20 ms; in the sixth second 200 ms, and half of the queries unanswered.
class HeatmapTest : public testing::Test {
 protected:
  HeatmapTest() : measurement(options()) {
    for (int i = 0; i < 1000; ++i) {
      const Timestamp asked = start + i * 10ms;
      const bool bad = i >= 500 && i < 600;
      measurement.heatmap()->add_requests(asked, Kind::dns, 1);
      ++measurement.counters(Kind::dns).requests;
      const Duration delay = bad ? 200ms : 20ms;
      if (!bad || i % 2 == 0)
        measurement.add_light(Kind::dns, Leg::server, asked + delay, delay, 1);
    }
    for (int i = 0; i < 10; ++i) {
      measurement.add_light(Kind::tcp, Leg::server, start + 1s, 20ms, 1);
      measurement.add_light(Kind::tcp, Leg::client, start + 1s, 20us, 1);
    }
    report.measurement = &measurement;
    report.draw_heatmap = true;
  }
  static MeasurementOptions options() {
    MeasurementOptions options;
    options.heatmap = true;
    return options;
  }

  static constexpr Timestamp start = timestamp_from_ns(1'794'052'800'000'000'000);
  Measurement measurement;
  RttReport report;
};

TEST_F(HeatmapTest, DrawsTheFullestKindUnlessKindsAreNamed) {
  const auto one = heatmap_panels(measurement, KindSet::all(), false);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].kind, Kind::dns);
  const auto all = heatmap_panels(measurement, KindSet::all(), true);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].leg, Leg::client);
}

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

TEST_F(HeatmapTest, IsInTheJsonOnlyWhenAsked) {
  EXPECT_NE(json_report(report).find("\"heatmap\""), std::string::npos);
  Measurement plain;
  report.measurement = &plain;
  EXPECT_EQ(json_report(report).find("\"heatmap\""), std::string::npos);
}

}  // namespace
}  // namespace sojourn
