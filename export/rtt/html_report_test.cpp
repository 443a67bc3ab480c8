#include "export/rtt/html_report.h"

#include <gtest/gtest.h>

#include "export/rtt/test_example_report.h"

namespace sojourn {
namespace {

TEST(HtmlReport, HasEverySectionAndNothingFromOutside) {
  ExampleReport example;
  const std::string html = html_report(example.report);
  for (const auto text :
       {"Which leg the delay is on", "Delays by kind and leg", "Distributions", "groups by port",
        "Verdicts", "What became of the requests", "What could not be measured", "7 arp",
        "prefers-color-scheme:dark", "@media print", "viewport"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  for (const auto text : {"<script", "src=", "href=", "@import", "url("})
    EXPECT_EQ(html.find(text), std::string::npos) << text;
  EXPECT_NE(html.find("<td>tcp</td><td class=\"n\">1 100</td><td class=\"n\">1 000</td>"),
            std::string::npos)
      << "the requests";
  EXPECT_EQ(html.find("Every packet could be used."), std::string::npos);
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_LT(html.size(), 100'000u);
}

TEST(HtmlReport, ShowsForeignTextAndDoesNotObeyIt) {
  ExampleReport example;
  example.report.input.files = {"<script>alert(1)</script>.pcap"};
  example.report.input.warnings = {"\"><img onerror=x>"};
  const std::string html = html_report(example.report);
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);
}

TEST(HtmlReport, SaysSoWhenEveryPacketCouldBeUsed) {
  ExampleReport example;
  example.report.input.skipped.clear();
  EXPECT_NE(html_report(example.report).find("Every packet could be used."), std::string::npos);
}

TEST(HtmlReport, SaysSoWhenNothingWasMeasured) {
  const Measurement nothing;
  RttReport report;
  report.measurement = &nothing;
  const std::string html = html_report(report);
  EXPECT_NE(html.find("No round trip was measured."), std::string::npos);
  EXPECT_EQ(html.find("What became of the requests"), std::string::npos);
}

TEST(HtmlReport, HasATableOfGroupsThatChanged) {
  ExampleReport example;
  example.report.changes.emplace().at = ExampleReport::start;
  EXPECT_EQ(html_report(example.report).find("median was"), std::string::npos) << "none did";
  GroupChange change;
  change.label = "port 8443";
  example.report.changes->shown = {change};
  EXPECT_NE(html_report(example.report).find("<td>port 8443</td>"), std::string::npos);
}

}  // namespace
}  // namespace sojourn
