#include "export/reference/reference_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Two flows with delays, the second with more packets, and one whose packets had no reference.
ReferenceInterval example() {
  ReferenceInterval interval;
  interval.begin = test_time(0s);
  interval.end = test_time(10s);
  interval.flows = {
      {.key = test_flow_key(1),
       .packets = 100,
       .estimated = 90,
       .left_only = 4,
       .mean_ns = 1e6,
       .deviation_ns = 2e5},
      {.key = test_flow_key(2), .packets = 2000, .estimated = 10, .mean_ns = 11e6},
      {.key = test_flow_key(3), .packets = 5},
  };
  interval.seen = ReferenceSeen{.references = 1234};
  return interval;
}

TEST(ReferenceText, IsALineOfTotalsAndTheLargestFlows) {
  const std::string text = reference_text(example(), "12:00:01 eth0", 2);
  EXPECT_TRUE(
      text.starts_with("12:00:01 eth0: 2 105 packets, 3 flows, 100 measured, mean 2.000 ms; "
                       "1 234 references, 4 packets by the reference before them alone\n"))
      << text;
  const auto first = text.find("10.0.0.2:1024"), second = text.find("10.0.0.1:1024");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_FALSE(text.contains("10.0.0.3:1024")) << text;
  EXPECT_FALSE(reference_text(example(), "eth0", 0).contains("10.0.0.2:1024"));
}

// Delays are described by their own spread, divided by their number: that of one is 0, in the text,
// in JSON and in CSV.  Of none nothing is known.
TEST(ReferenceReport, OneDelayHasNoSpreadAndNoneHasNoFigures) {
  ReferenceInterval interval = example();
  interval.flows = {{.key = test_flow_key(1), .packets = 9, .estimated = 1, .mean_ns = 1e6},
                    {.key = test_flow_key(2), .packets = 8}};
  const std::string text = reference_text(interval, "eth0", 2);
  EXPECT_TRUE(text.contains("         9         1   1.000 ms       0 ns\n")) << text;
  EXPECT_TRUE(text.ends_with("         8         0          -          -\n")) << text;
  const auto flows = nlohmann::json::parse(reference_json(interval, "point", "south"))["flows"];
  EXPECT_EQ(flows[0]["delay_stddev_ns"], 0);
  EXPECT_TRUE(flows[1]["delay_stddev_ns"].is_null());
  const std::string lines = reference_csv(interval);
  EXPECT_TRUE(lines.contains(",9,1,1000000,0,0\n")) << lines;
  EXPECT_TRUE(lines.ends_with(",8,0,,,0\n")) << lines;
}

TEST(ReferenceText, NamesWhatWentWrongOnlyIfItDid) {
  ReferenceInterval interval = example();
  interval.flows.clear();
  EXPECT_TRUE(reference_text(interval, "eth0", 2).ends_with("; 1 234 references\n"));
  interval.seen->lost = 1;
  interval.seen->reordered = 2;
  interval.seen->of_others = 3;
  interval.seen->off = 4;
  interval.seen->after_last = 5;
  interval.seen->no_room = 6;
  interval.seen->before_first = 7;
  const std::string text = reference_text(interval, "eth0", 2);
  EXPECT_TRUE(text.ends_with(
      "; 1 234 references, 1 lost, 2 overtaken, 3 of other senders, 4 more than 17 s off: a clock "
      "was set, 7 packets before the first reference, not measured, 5 packets 10 s and more after "
      "the last reference, not measured, 6 packets of flows without room\n"))
      << text;
}

TEST(ReferenceJson, NumbersAreNumbersAndNullIsNull) {
  const auto json = nlohmann::json::parse(reference_json(example(), "point", "south"));
  EXPECT_EQ(json["point"], "south");
  EXPECT_EQ(json["packets"], 2105);
  EXPECT_EQ(json["measured"], 100);
  EXPECT_EQ(json["references"]["used"], 1234);
  ASSERT_EQ(json["flows"].size(), 3u);
  EXPECT_EQ(json["flows"][0]["delay_mean_ns"], 1e6);
  EXPECT_EQ(json["flows"][0]["source"], "10.0.0.1");
  EXPECT_TRUE(json["flows"][2]["delay_mean_ns"].is_null());
}

// A name of an interface may hold any byte but a space, '/' and ':'.
TEST(ReferenceJson, AForeignNameIsEscaped) {
  const std::string name = "e\"\x1b\xff";
  const std::string lines[] = {reference_json(example(), "interface", name),
                               reference_sent_json(name, {})};
  for (const std::string& line : lines)
    EXPECT_EQ(nlohmann::json::parse(line)["interface"], "e\"\x1b\xef\xbf\xbd") << line;
  const std::string heading = reference_heading(test_time(1s), "e\x1b[31m");
  EXPECT_EQ(heading, "22:13:21 e\\x1b[31m");
}

TEST(ReferenceSent, SaysWhatPassedAndWhatCouldNotBeSent) {
  ReferenceSendingCounters sent{.packets = 30'500, .references = 100};
  EXPECT_EQ(reference_sent_text("eth1", "224.0.0.1", sent, false),
            "eth1: 100 reference packets sent to 224.0.0.1, 30 500 others passed (one for 305)\n");
  EXPECT_EQ(reference_sent_json("eth1", sent),
            "{\"interface\":\"eth1\",\"sent\":100,\"unsent\":0,\"packets\":30500}\n");
  sent = {.packets = 99, .references = 100, .unsent = 3, .utilisation = 0.456};
  EXPECT_EQ(reference_sent_text("eth1", "224.0.0.1", sent, true),
            "eth1: 100 reference packets sent to 224.0.0.1, 99 others passed, 3 could not be sent, "
            "the link was 46 % busy\n");
}

TEST(ReferenceSums, AreOneTableAndSayWhatIsLeftOut) {
  ReferenceSums sums;
  sums.add(example());
  sums.add(example());
  const std::string text = reference_sums_text("south", sums, 2);
  EXPECT_TRUE(text.starts_with(
      "south, 2023-11-14T22:13:20 to 22:13:30, 2 intervals: 4 210 packets, 3 flows, 200 measured"))
      << text;
  EXPECT_TRUE(text.ends_with("\n  ... and 1 flows with fewer packets, which --json tells\n"))
      << text;
  EXPECT_FALSE(reference_sums_text("south", sums, 3).contains("...")) << "all of them are shown";
}

TEST(ReferenceSums, AForeignNameIsPrintable) {
  ReferenceSums sums;
  sums.add(example());
  const std::string text = reference_sums_text("a,b\"c\n\x1b[31m", sums, 2);
  EXPECT_TRUE(text.starts_with("a,b\"c\\x0a\\x1b[31m, 2023-11-14T22:13:20")) << text;
}

TEST(ReferenceCsv, HasALinePerFlowAndNothingWhereNothingIsKnown) {
  EXPECT_EQ(reference_csv(example()),
            "1700000000000000000,1700000010000000000,tcp,10.0.0.1,1024,10.0.0.1,443,100,90,1000000,"
            "200000,4\n"
            "1700000000000000000,1700000010000000000,tcp,10.0.0.2,1024,10.0.0.1,443,2000,10,"
            "11000000,0,0\n"
            "1700000000000000000,1700000010000000000,tcp,10.0.0.3,1024,10.0.0.1,443,5,0,,,0\n");
  const std::string_view header = reference_csv_header();
  EXPECT_EQ(std::ranges::count(header, ','), 11);
}

// Its totals were in a message that was lost.
TEST(ReferenceText, FlowsAloneAreTold) {
  ReferenceInterval interval = example();
  interval.seen.reset();
  EXPECT_TRUE(reference_text(interval, "south", 0).contains("2 105 packets, 3 flows"));
  EXPECT_EQ(nlohmann::json::parse(reference_json(interval, "point", "south"))["packets"], 2105);
}

}  // namespace
}  // namespace sojourn
