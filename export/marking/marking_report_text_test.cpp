#include "export/marking/marking_report_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr MarkingInterval one_second{0};
constexpr std::int64_t number = 1'700'000'000;

MarkingReporter north() {
  return {.point = "north",
          .duty = MarkingDuty::mark,
          .setup = {.method = MarkingMethod::multiplexed,
                    .length = one_second,
                    .carrier = *MarkingCarrier::parse("dscp:0"),
                    .flows = {*MarkingFilter::parse("protocol=udp")}},
          .clock_error = std::nullopt,
          .since = one_second.start_of(number)};
}

MarkingReport counted() {
  MarkingRecord record{.length = one_second, .judged_by = one_second, .interval = number};
  record.packets = 12'345;
  record.pulses = 1;
  record.pulse_time = one_second.start_of(number) + 500ms;
  record.late = 2ms;
  record.middle = 3'000;
  record.other = 4;
  record.marked_before = 3;
  return {.interval = number,
          .read_at = one_second.start_of(number) + 1500ms,
          .doubt = {},
          .records = {record}};
}

TEST(MarkingReportText, NamesThePointAndTheColumns) {
  EXPECT_EQ(marking_heading(north(), "eth1", TcDirection::egress, "tc"),
            "north marks at eth1, egress, tc: multiplexed in dscp:0, intervals of 1s, 1 flow\n"
            "from 2023-11-14T22:13:20, UTC\n"
            "interval        packets  pulse after       late      early  not ours  flow\n");
}

TEST(MarkingReportText, ANameIsPrintable) {
  MarkingReporter hostile = north();
  hostile.point = "a,b\"c\n\x1b[31m";
  const std::string shown = "a,b\"c\\x0a\\x1b[31m";
  EXPECT_TRUE(
      marking_heading(hostile, "eth0", TcDirection::egress, "tc").starts_with(shown + " marks"));
  EXPECT_TRUE(left_alone_text(hostile, {.not_ip = 1}).starts_with(shown + ": 1 packets left"));
}

TEST(MarkingReportText, HasALineForEachFlow) {
  EXPECT_EQ(marking_text(north(), counted()),
            "22:13:20.000     12 345     500.0 ms   2.000 ms          -         7  protocol=udp\n");
}

TEST(MarkingReportText, HasALineIfNoFlowHadPackets) {
  MarkingReport none = counted();
  none.records.clear();
  none.doubt = MarkingFault::not_recorded;
  EXPECT_EQ(marking_text(north(), none),
            "22:13:20.000          0            -          -          "
            "-         0  -  (not-recorded)\n");
}

TEST(MarkingReportJson, HasNumbersAsNumbers) {
  const std::string line = marking_json(north(), counted());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["point"], "north");
  EXPECT_EQ(json["duty"], "mark");
  EXPECT_EQ(json["interval"], "1s");
  EXPECT_EQ(json["interval_ns"], 1'000'000'000);
  EXPECT_EQ(json["number"], number);
  EXPECT_EQ(json["start_ns"], number * 1'000'000'000);
  EXPECT_EQ(json["read_ns"], number * 1'000'000'000 + 1'500'000'000);
  EXPECT_EQ(json["not_valid"], nullptr);
  EXPECT_EQ(json["flow"], "protocol=udp");
  EXPECT_EQ(json["packets"], 12'345);
  EXPECT_EQ(json["pulse_ns"], number * 1'000'000'000 + 500'000'000);
  EXPECT_EQ(json["late_ns"], 2'000'000);
  EXPECT_EQ(json["marked_before"], 3);
  EXPECT_FALSE(json.contains("repeats")) << "the point looks for no copies";
}

TEST(MarkingReportJson, WhatIsNotKnownIsNull) {
  MarkingReport report = counted();
  report.records.front().pulses = 0;
  report.doubt = MarkingFault::not_recorded;
  MarkingReporter who = north();
  who.copies = true;
  const Json json = Json::parse(marking_json(who, report));
  EXPECT_EQ(json["pulse_ns"], nullptr);
  EXPECT_EQ(json["not_valid"], "not-recorded");
  EXPECT_EQ(json["repeats"], 0);

  report.records.clear();
  const Json none = Json::parse(marking_json(who, report));
  EXPECT_EQ(none["flow"], nullptr);
  EXPECT_EQ(none["packets"], 0);
}

TEST(LeftAloneText, NamesEachReasonThatCounts) {
  EXPECT_EQ(left_alone_text(north(), {}), "");
  const MarkingLeftAlone left{
      .not_ip = 1, .no_flow = 2, .no_room = 4, .no_carrier = 8, .local = 16, .unread = 32'000};
  EXPECT_EQ(left_alone_text(north(), left),
            "north: 1 packets left alone: no IP\n"
            "north: 2 packets left alone: of no monitored flow\n"
            "north: 8 packets left alone: no place for this carrier\n"
            "north: 4 packets left alone: no room for the option within the interface's MTU\n"
            "north: 16 packets left alone: between neighbours, no router passes them on\n"
            "north: 32 000 packets left alone: cut off within a header\n");
  EXPECT_EQ(left.total(), 32'031u);
  EXPECT_EQ(MarkingLeftAlone{.super_pulses = 9}.total(), 0u) << "those were marked";
}

}  // namespace
}  // namespace sojourn
