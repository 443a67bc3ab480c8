#include "export/charts/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "export/charts/chart_scale.h"
#include "export/charts/sparkline.h"

namespace sojourn {
namespace {

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string labels(const ChartScale& scale) {
  std::string text;
  for (const auto& tick : scale.ticks())
    if (!tick.label.empty()) text += tick.label + ",";
  return text;
}

LineChart errors() {
  LineChart chart{.title = "Error & memory <L2>",
                  .x = {.label = "memory (slots)", .logarithmic = true},
                  .y = {.label = "|log2(estimated / true)|", .logarithmic = true},
                  .series = {}};
  for (int i = 0; i < 9; ++i) {
    ChartSeries series{.name = "a table with a rather long name, number " + std::to_string(i),
                       .points = {},
                       .dashed = i % 3 == 2};
    for (double slots = 256; slots <= 65536; slots *= 2)
      series.points.push_back({slots, (1 + i) * 3 / std::sqrt(slots)});
    chart.series.push_back(series);
  }
  return chart;
}

/// SOJOURN_KEEP_PICTURES=DIR keeps the pictures that the tests draw.
std::string drawn(const LineChart& chart, const char* name) {
  std::string svg = svg_chart(chart);
  if (const char* folder = std::getenv("SOJOURN_KEEP_PICTURES"))
    std::ofstream{std::string{folder} + "/" + name + ".svg"} << svg;
  return svg;
}

TEST(LineChart, DrawsEachSeriesWithItsLegend) {
  const std::string svg = drawn(errors(), "logarithmic");
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(occurrences(svg, "fill=\"none\" stroke=\"#"), 9u + 1u);  // and the frame
  EXPECT_EQ(occurrences(svg, "number "), 9u);
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 2 * 3u);
  EXPECT_EQ(occurrences(svg, "<circle"),
            (9u + 1u) * 3u);  // series 0, 4 and 5: nine dots and the legend's
  EXPECT_NE(svg.find("Error &amp; memory &lt;L2&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">1000<"), std::string::npos);
}

TEST(LineChart, LeavesAGapWhereThereIsNoValue) {
  const double none = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  LineChart chart{.title = "",
                  .x = {.label = ""},
                  .y = {.label = "", .logarithmic = true},
                  .series = {{.name = "a", .points = {}}}};
  chart.series[0].points = {{0, 1},  {1, 2},  {2, none},     {3, 4}, {4, 0},
                            {5, 10}, {6, -1}, {infinite, 3}, {7, 5}};
  const std::string svg = drawn(chart, "gaps");
  const auto start = svg.find("<path d=\"");
  const std::string path = svg.substr(start, svg.find('"', start + 10) - start);
  EXPECT_EQ(occurrences(path, "M"), 4u);
  EXPECT_EQ(occurrences(path, "L"), 1u);
  EXPECT_EQ(occurrences(svg, "<circle"), 5u + 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(LineChart, SurvivesNothingAndPointsOfAnySize) {
  for (const bool logarithmic : {false, true}) {
    for (const double value : {0.0, -1.0, 1e-300, 1e300, 5e-324, 1.0}) {
      const LineChart chart{.title = "t",
                            .x = {.label = "x", .logarithmic = logarithmic},
                            .y = {.label = "y", .logarithmic = logarithmic},
                            .series = {{.name = "", .points = {{value, value}}}}};
      const std::string svg = svg_chart(chart);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
      EXPECT_LT(svg.size(), 20'000u) << value;
    }
  }
  EXPECT_NE(drawn({}, "nothing").find("</svg>"), std::string::npos);
}

TEST(LineChart, ShowsOnlyWhatIsBetweenTheEndsOfItsAxes) {
  LineChart chart{.title = "Distribution of the delays",
                  .x = {.label = "delay (ms)", .low = 0, .high = 10},
                  .y = {.label = "fraction at or below"},
                  .series = {{.name = "truth", .points = {}, .dashed = true, .markers = false},
                             {.name = "estimated", .points = {}, .lines = false}}};
  for (int i = 0; i <= 2000; ++i)
    chart.series[0].points.push_back({i / 100.0, 1 - std::exp(-i / 300.0)});
  for (int i = 0; i <= 20; ++i) chart.series[1].points.push_back({i * 1.0, 1 - std::exp(-i / 3.0)});
  const std::string svg = drawn(chart, "linear");
  EXPECT_EQ(occurrences(svg, "<rect x"), 1u + 11u + 1u);  // the frame, markers from 0 to 10, legend
}

TEST(ChartScale, EndsAtRoundNumbers) {
  EXPECT_EQ(labels(ChartScale{{.label = ""}, {0.13, 0.97}}), "0,0.2,0.4,0.6,0.8,1,");
  EXPECT_EQ(labels(ChartScale{{.label = ""}, {-3, 17}}), "-5,0,5,10,15,20,");
  EXPECT_EQ(labels(ChartScale{{.label = ""}, {1000, 1003}}),
            "1000,1000.5,1001,1001.5,1002,1002.5,1003,");
  EXPECT_EQ(labels(ChartScale{{.label = "", .logarithmic = true}, {0.003, 40}}), "0.01,0.1,1,10,");
  EXPECT_EQ(labels(ChartScale{{.label = "", .logarithmic = true}, {13, 180}}), "10,20,50,100,200,");
  EXPECT_EQ(labels(ChartScale{{.label = "", .logarithmic = true}, {1e-9, 1e9}}),
            "10⁻⁸,10⁻⁶,0.0001,0.01,1,100,10 000,10⁶,10⁸,");
  EXPECT_EQ(labels(ChartScale{{.label = ""}, {7, 7}}), "2,4,6,8,10,12,");
}

TEST(ChartScale, ALogarithmicAxisOfOneValueIsAnOctave) {
  const ChartScale scale{{.label = "", .logarithmic = true}, {100, 100}};
  EXPECT_EQ(labels(scale), "100,200,");
  EXPECT_NEAR(*scale.position(100), 0, 1e-9);
  EXPECT_NEAR(*scale.position(200), 1, 1e-9);
}

TEST(AxisLines, HaveALabelBelowTheirTicks) {
  using namespace std::chrono_literals;
  const auto lines = axis_lines(DelayAxis{10us, 10ms}, 60, false);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), 60u);
  for (const char* const label : {"100 us", "1 ms"}) {
    const auto at = lines[1].find(label);
    ASSERT_NE(at, std::string::npos) << lines[1];
    EXPECT_NE(lines[0].substr(at, std::string_view{label}.size()).find('+'), std::string::npos);
  }
}

TEST(ChartScale, PlacesValuesByTheirLogarithm) {
  const ChartScale scale{{.label = "", .logarithmic = true, .low = 1, .high = 10'000}, {5}};
  EXPECT_NEAR(*scale.position(100), 0.5, 1e-12);
  EXPECT_LT(*scale.position(0.5), 0);
  EXPECT_FALSE(scale.position(0));
  EXPECT_FALSE(scale.position(std::nan("")));
}

TEST(ChartScale, LabelsAreShort) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(0.30000000000000004), "0.3");
  EXPECT_EQ(tick_text(200'000), "200 000");
  EXPECT_EQ(tick_text(5e-7), "5·10⁻⁷");
  EXPECT_EQ(tick_text(-1e12), "-10¹²");
}

}  // namespace
}  // namespace sojourn
