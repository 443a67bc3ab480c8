#include "export/rtt/svg_plot.h"

#include <gtest/gtest.h>

#include "export/charts/delay_axis.h"
#include "export/rtt/test_example_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(SvgPlot, DrawsACurveAndALegendForEachKindAndLeg) {
  ExampleReport example;
  example.report.input.files = {"captures/a<b>&c.pcap"};
  const std::string svg = svg_plot(example.report);
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(occurrences(svg, "<path "), 4u) << "tcp has two legs, handshake its sum";
  EXPECT_EQ(occurrences(svg, ">median "), 4u);
  EXPECT_NE(svg.find(">tcp client<"), std::string::npos);
  EXPECT_NE(svg.find("Round-trip delay: a&lt;b&gt;&amp;c.pcap"), std::string::npos);
  EXPECT_NE(svg.find(">1 ms<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgPlot, SaysSoWhenThereIsNothing) {
  const Measurement nothing;
  RttReport report;
  report.measurement = &nothing;
  EXPECT_NE(svg_plot(report).find("no samples"), std::string::npos);
}

TEST(SvgPlot, SurvivesDelaysOfAnySize) {
  for (const Duration delay :
       {Duration::min(), Duration{-1}, Duration{0}, Duration{1}, Duration::max()}) {
    Measurement measurement;
    measurement.add_light(Kind::tcp, Leg::server, {}, delay);
    RttReport report;
    report.measurement = &measurement;
    const std::string svg = svg_plot(report);
    EXPECT_EQ(occurrences(svg, "<path "), 1u);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << delay.count();
  }
}

TEST(DelayAxis, StartsAndEndsAtRoundDelaysAndLabelsThem) {
  const DelayAxis axis{43us, 167ms};
  EXPECT_EQ(axis.delay_at(0), 20us);
  EXPECT_EQ(axis.delay_at(1), 200ms);
  EXPECT_DOUBLE_EQ(axis.position(-5ms), 0);
  EXPECT_NEAR(axis.position(2ms), 0.5, 1e-9);
  std::string labels;
  for (const auto& tick : axis.ticks()) labels += tick.label + ",";
  EXPECT_EQ(labels, "100 us,1 ms,10 ms,100 ms,");

  labels.clear();
  for (const auto& tick : DelayAxis{10ms, 10ms}.ticks()) labels += tick.label + ",";
  EXPECT_EQ(labels, "10 ms,20 ms,");
}

TEST(SvgPlot, FractionsGoFromNoneToAll) {
  const std::string svg = svg_plot(ExampleReport{}.report);
  for (const char* const label : {">0.0<", ">0.2<", ">0.4<", ">0.6<", ">0.8<", ">1.0<"})
    EXPECT_EQ(occurrences(svg, label), 1u) << label;
  EXPECT_EQ(occurrences(svg, "stroke=\"#eeeeee\""), 5u) << "a thin line at each odd tenth";
}

}  // namespace
}  // namespace sojourn
