#include "pipeline/marking/mark_counts.h"

#include <gtest/gtest.h>

#include <string>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp run_began = timestamp_from_ns(1'700'000'000'000'000'000);

/// Interval `number` of a second, read two seconds after it began: once for itself, once for a
/// flow.
void add_interval(PointMarks& marks, std::int64_t number, const std::string& doubt) {
  const Timestamp start = MarkingInterval{0}.start_of(number);
  const MarkCount read{
      .interval = number, .start = start, .read_at = start + 2s, .doubt = doubt, .flow = {}};
  marks.counts.push_back(read);
  marks.counts.push_back(read);
  marks.counts.back().flow = "any";
  marks.counts.back().packets = static_cast<std::uint64_t>(number % 100);
}

PointMarks run_of_three(const std::string& second_doubt) {
  PointMarks marks{"north", 1, {.duty = "mark", .method = "step", .carrier = "dscp:0"}, {}};
  marks.run.since = run_began;
  const std::int64_t first = MarkingInterval{0}.at(run_began).interval + 10;
  add_interval(marks, first, "");
  add_interval(marks, first + 1, second_doubt);
  add_interval(marks, first + 2, "");
  return marks;
}

TEST(MarkCounts, AreOneOfTheIntervalAndOneOfEachFlow) {
  const MarkingSetup setup{.length = MarkingInterval{0},
                           .carrier = *MarkingCarrier::parse("dscp"),
                           .flows = {MarkingFilter{}, *MarkingFilter::parse("protocol=udp")}};
  MarkingReport report{.interval = 5, .read_at = run_began, .doubt = {}, .records = {}};
  report.records = {{.flow = 1,
                     .packets = 7,
                     .repeats = 6,
                     .late = 3ms,
                     .early = 2ms,
                     .middle = 5,
                     .contrary = 4,
                     .other = 3,
                     .marked_before = 2}};
  const auto counts = counts_of(setup, report);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].flow, "");
  EXPECT_EQ(counts[0].packets, 0u);
  const MarkCount& flow = counts[1];
  EXPECT_EQ(flow.flow, setup.flows[1].text());
  EXPECT_EQ(flow.start, MarkingInterval{0}.start_of(5));
  EXPECT_EQ(flow.packets, 7u);
  EXPECT_EQ(flow.repeats, 6u);
  EXPECT_EQ(flow.late, 3ms);
  EXPECT_EQ(flow.early, 2ms);
  EXPECT_EQ(flow.middle, 5u);
  EXPECT_EQ(flow.contrary, 4u);
  EXPECT_EQ(flow.other, 3u);
  EXPECT_EQ(flow.marked_before, 2u);
  EXPECT_EQ(flow.pulses, 0u);
}

TEST(MarkCounts, BecomeTheFileOfTheirPoint) {
  const PointMarks marks = run_of_three("link-down");
  const auto file = marking_file_of("north", {marks});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->method, MarkingMethod::step);
  EXPECT_EQ(file->flows, std::vector<std::string>{"any"});
  ASSERT_EQ(file->records.records.size(), 3u);
  EXPECT_EQ(file->records.records[1].packets, marks.counts[3].packets);
  EXPECT_EQ(file->records.read.size(), 3u);
  ASSERT_EQ(file->records.doubts.size(), 1u);
  EXPECT_EQ(file->records.doubts[0],
            (std::pair{marks.counts[2].interval, MarkingFault::link_down}));
}

TEST(MarkCounts, AnUnknownDoubtIsADoubt) {
  const auto file = marking_file_of("north", {run_of_three("of-a-later-version")});
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->records.doubts.size(), 1u);
  EXPECT_EQ(file->records.doubts[0].second, MarkingFault::not_recorded);
}

TEST(MarkCounts, RunsThatDifferAreNotJoined) {
  PointMarks other = run_of_three("");
  other.run.carrier = "flow-label:0";
  const auto file = marking_file_of("north", {run_of_three(""), other});
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("flow-label:0"), std::string::npos) << file.error().message;
  EXPECT_FALSE(marking_file_of("north", {}));
}

}  // namespace
}  // namespace sojourn
