#include "export/marking/marking_remarks.h"

#include <gtest/gtest.h>

#include "export/marking/marking_report_text.h"

namespace sojourn {
namespace {

MarkingReporter reader_of(MarkingDuty duty) {
  return {.point = "south",
          .duty = duty,
          .setup = {.method = MarkingMethod::step,
                    .length = MarkingInterval{0},
                    .carrier = *MarkingCarrier::parse("dscp:0"),
                    .flows = {MarkingFilter{}}},
          .clock_error = std::nullopt,
          .since = timestamp_from_ns(1'700'000'000'000'000'000)};
}

MarkingReport of_record(const MarkingRecord& record, std::uint64_t strays = 0) {
  MarkingReport report{.interval = 7, .read_at = {}, .doubt = {}, .records = {record}};
  report.strays = strays;
  return report;
}

MarkingRecord counted(std::uint32_t packets, std::uint32_t contrary, std::uint32_t other = 0) {
  MarkingRecord record{
      .length = MarkingInterval{0}, .judged_by = MarkingInterval{0}, .interval = 7};
  record.packets = packets;
  record.middle = packets;
  record.contrary = contrary;
  record.other = other;
  return record;
}

using Lines = std::vector<std::string>;

TEST(MarkingRemarks, TheMarkerSaysOnceThatMarksAreInUse) {
  const MarkingReporter who = reader_of(MarkingDuty::mark);
  MarkingRemarks remarks{who};
  MarkingRecord used = counted(100, 100);
  EXPECT_EQ(remarks.of(of_record(used)), Lines{}) << "it sets them: their colour is its own";
  used.marked_before = 1;
  EXPECT_EQ(remarks.of(of_record(used)),
            Lines{"south: packets carry dscp:0 already; their intervals give no loss (--force "
                  "overwrites it)"});
  EXPECT_EQ(remarks.of(of_record(used)), Lines{});
}

TEST(MarkingRemarks, LatePacketsAreToldEachTime) {
  const MarkingReporter who = reader_of(MarkingDuty::observe);
  MarkingRemarks remarks{who};
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(remarks.of(of_record(counted(100, 0), 3)),
              Lines{"south: 3 packets came after their counters had been read"});
}

TEST(MarkingRemarks, AnotherValueInTheFieldIsToldOnce) {
  const MarkingReporter who = reader_of(MarkingDuty::restore);
  MarkingRemarks remarks{who};
  EXPECT_EQ(remarks.of(of_record(counted(0, 0, 20))), Lines{}) << "too few to tell";
  EXPECT_EQ(remarks.of(of_record(counted(2, 0, 40))), Lines{}) << "some are marked";
  EXPECT_EQ(remarks.of(of_record(counted(1, 0, 40))),
            Lines{"south: packets carry another value than marks in dscp:0: something before this "
                  "point rewrites it"});
  EXPECT_EQ(remarks.of(of_record(counted(1, 0, 40))), Lines{});
}

TEST(MarkingRemarks, MarksThatDoNotAlternateAgreeOnlyEveryOtherTime) {
  const Lines told{
      "south: the marks in dscp:0 do not alternate: something before this point rewrites them, or "
      "nothing marks these packets"};
  const MarkingReporter who = reader_of(MarkingDuty::observe);
  for (const bool contrary_first : {true, false}) {
    MarkingRemarks remarks{who};
    EXPECT_EQ(remarks.of(of_record(counted(100, contrary_first ? 100 : 0))), Lines{});
    EXPECT_EQ(remarks.of(of_record(counted(100, contrary_first ? 0 : 100))), told);
    EXPECT_EQ(remarks.of(of_record(counted(100, contrary_first ? 100 : 0))), Lines{});
  }
  MarkingRemarks reversed{who};
  for (int i = 0; i < 3; ++i)  // another polarity, or another clock: not for us to say
    EXPECT_EQ(reversed.of(of_record(counted(100, 100))), Lines{});
  MarkingRemarks few{who};
  EXPECT_EQ(few.of(of_record(counted(10, 10))), Lines{});
  EXPECT_EQ(few.of(of_record(counted(10, 0))), Lines{});
}

TEST(MarkingHeading, SaysWhereAndHow) {
  const std::string text =
      marking_heading(reader_of(MarkingDuty::observe), "eth1", TcDirection::ingress, "tc (tcx)");
  EXPECT_TRUE(
      text.starts_with("south observes at eth1, ingress, tc (tcx): step in dscp:0, "
                       "intervals of 1s, 1 flow\nfrom 2023-11-14T22:13:20, UTC\n"))
      << text;
  EXPECT_TRUE(marking_heading(reader_of(MarkingDuty::mark), "e\x1b", TcDirection::egress, "tc")
                  .starts_with("south marks at e\\x1b, egress, tc: "));
}

}  // namespace
}  // namespace sojourn
