#include "export/marking/marking_report_csv.h"

#include <gtest/gtest.h>

#include <tuple>

#include "pipeline/marking/mark_counts.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

MarkingReporter reporter(std::string_view carrier = "dscp:1,0") {
  return {.point = "north",
          .duty = MarkingDuty::observe,
          .setup = {.method = MarkingMethod::double_,
                    .length = MarkingInterval{-2},
                    .carrier = *MarkingCarrier::parse(carrier),
                    .flows = {*MarkingFilter::parse("source=10.0.0.0/8,protocol=udp"),
                              MarkingFilter{}}},
          .clock_error = 3us,
          .since = timestamp_from_ns(1'000'000'000)};
}

MarkingReport report() {
  const MarkingInterval length{-2};
  return {.interval = 7,
          .read_at = length.start_of(8) + 125ms,
          .doubt = MarkingFault::link_down,
          .records = {{.flow = 1,
                       .length = length,
                       .judged_by = length,
                       .interval = 7,
                       .packets = 1234,
                       .pulses = 1,
                       .pulse_time = length.start_of(7) + 130ms,
                       .late = 2ms,
                       .early = 1ms,
                       .middle = 300,
                       .contrary = 4,
                       .other = 5,
                       .marked_before = 6,
                       .read_at = length.start_of(8) + 125ms}}};
}

std::string file() { return std::string{marking_csv_header} + marking_csv(reporter(), report()); }

TEST(MarkingCsv, WhatIsWrittenIsReadAgain) {
  const auto read = parse_marking_csv(file());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->point, "north");
  EXPECT_EQ(read->duty, "observe");
  EXPECT_EQ(read->method, MarkingMethod::double_);
  EXPECT_EQ(read->carrier, "dscp:1,0");
  EXPECT_EQ(read->length, MarkingInterval{-2});
  EXPECT_EQ(read->clock_error, Duration{3us});
  EXPECT_EQ(read->flows, std::vector<std::string>{"any"});
  EXPECT_EQ(read->records.read, std::vector<std::int64_t>{7});
  ASSERT_EQ(read->records.doubts.size(), 1u);
  EXPECT_EQ(read->records.doubts[0].second, MarkingFault::link_down);
  EXPECT_EQ(to_ns(read->records.span.since), 1'000'000'000);
  EXPECT_EQ(read->records.span.until, report().read_at);
  ASSERT_EQ(read->records.records.size(), 1u);
  const auto written = report();
  const MarkingRecord &one = written.records[0], &again = read->records.records[0];
  EXPECT_EQ(again.packets, one.packets);
  EXPECT_EQ(again.pulses, one.pulses);
  EXPECT_EQ(again.pulse_time, one.pulse_time);
  EXPECT_EQ(again.late, one.late);
  EXPECT_EQ(again.early, one.early);
  EXPECT_EQ(again.middle, one.middle);
  EXPECT_EQ(again.contrary, one.contrary);
  EXPECT_EQ(again.other, one.other);
  EXPECT_EQ(again.marked_before, one.marked_before);
  EXPECT_EQ(again.read_at, one.read_at);
}

TEST(MarkingCsv, CopiesAreCountedByAllPointsOrByNone) {
  MarkingReporter looks = reporter();
  looks.copies = true;
  MarkingReport counted = report();
  counted.records[0].repeats = 17;
  const auto with =
      parse_marking_csv(std::string{marking_csv_header} + marking_csv(looks, counted));
  const auto without = parse_marking_csv(file());
  ASSERT_TRUE(with) << with.error().message;
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_TRUE(with->copies);
  EXPECT_FALSE(without->copies);
  EXPECT_EQ(with->records.records[0].repeats, 17u);
  EXPECT_TRUE(join_marking({*with, *with}));
  const auto refused = join_marking({*with, *without});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("looks for copies"), std::string::npos);
}

TEST(MarkingCsv, ALineThatIsStillBeingWrittenIsLeftOut) {
  const std::string whole = file();
  const auto read = parse_marking_csv(std::string_view{whole}.substr(0, whole.size() - 5));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->records.read.size(), 1u);
  EXPECT_TRUE(read->records.records.empty());
}

TEST(MarkingCsv, ErrorsNameTheLineAndTheField) {
  EXPECT_FALSE(parse_marking_csv("protocol,source\n"));
  const auto broken = [](std::string_view from, std::string_view to) {
    std::string text = file();
    text.replace(text.rfind(from), from.size(), to);
    const auto read = parse_marking_csv(text);
    return read ? std::string{"nothing"} : read.error().message;
  };
  EXPECT_EQ(broken("1234", "12x4"), "line 3: '12x4' is not valid as packets");
  EXPECT_EQ(broken("north,observe", "north,sleep"), "line 3: 'sleep' is not valid as duty");
  EXPECT_EQ(broken("256ms", "256m"), "line 3: '256m' is not valid as interval");
  EXPECT_EQ(broken("link-down", "fine"), "line 3: 'fine' is not valid as state");
  EXPECT_EQ(broken("\"any\"", "any"), "line 3: 'any' is not valid as flow");
  EXPECT_EQ(broken("dscp", "none"), "line 3: 'none:1,0' is not valid as carrier");
}

TEST(MarkingCsv, PointsOfDifferentMarkingAreNotJoined) {
  const auto one = parse_marking_csv(file());
  const auto other = parse_marking_csv(std::string{marking_csv_header} +
                                       marking_csv(reporter("dscp:2,3"), report()));
  ASSERT_TRUE(one && other);
  EXPECT_TRUE(join_marking({*one, *one}));
  const auto joined = join_marking({*one, *other});
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("carrier dscp:1,0"), std::string::npos)
      << joined.error().message;
}

TEST(MarkingCsv, AClockThatNobodyKeepsStaysUnknown) {
  MarkingReporter who = reporter();
  who.clock_error.reset();
  const auto known = parse_marking_csv(file());
  const auto unknown =
      parse_marking_csv(std::string{marking_csv_header} + marking_csv(who, report()));
  ASSERT_TRUE(known && unknown) << unknown.error().message;
  EXPECT_FALSE(unknown->clock_error);
  EXPECT_FALSE(join_marking({*known, *unknown})->clock_error);
}

TEST(MarkingCsv, FlowsAreJoinedByWhatTheyAre) {
  auto one = parse_marking_csv(file()), other = one;
  other->flows = {"protocol=udp", "any"};
  other->records.records[0].flow = 1;
  const auto joined = join_marking({*one, *other});
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->points[0].records[0].flow, joined->points[1].records[0].flow);
  EXPECT_EQ(joined->clock_error, Duration{6us});
}

/// A run from `since` to `until`, as a live point writes it, including the intervals at its ends.
std::string run_of(Timestamp since, Timestamp until, std::uint64_t packets) {
  const MarkingInterval length{-2};
  MarkingReporter who = reporter();
  who.since = since;
  std::string text{marking_csv_header};
  for (auto i = length.at(since).interval - 1; i <= length.at(until).interval + 1; ++i) {
    MarkingReport one{
        .interval = i,
        .read_at = std::min(until, length.start_of(i + 1) + length.length() / 2),
        .doubt = {},
        .records = {
            {.flow = 1, .length = length, .judged_by = length, .interval = i, .packets = packets}}};
    one.records[0].read_at = one.read_at;
    // Packets before or after the run are not counted.
    if (length.start_of(i) < since || length.start_of(i + 1) > until) one.records[0].packets /= 2;
    text += marking_csv(who, one);
  }
  return text;
}

// An observer was restarted and continued to write into the same file: packets in between are not
// lost.
TEST(MarkingCsv, ARestartIsNoLoss) {
  for (const Duration outage : {20ms, 130ms, 240ms, 500ms, 5000ms}) {
    SCOPED_TRACE(to_ns(outage));
    const Timestamp begin = timestamp_from_ns(1'000'050'000'000);
    const Timestamp stop = begin + 10s, restart = stop + outage, end = restart + 10s;
    const auto first = parse_marking_csv(run_of(begin - 1s, end + 1s, 100));
    const auto last = parse_marking_csv(run_of(begin, stop, 100) + run_of(restart, end, 100));
    ASSERT_TRUE(first && last);
    const auto joined = join_marking({*first, *last});
    ASSERT_TRUE(joined);
    std::int64_t valid = 0;
    for (const MarkingResult& result :
         collect({.method = MarkingMethod::step}, joined->points[0], joined->points[1])) {
      if (!result.lost) continue;
      EXPECT_EQ(*result.lost, 0u) << to_ns(result.start());
      ++valid;
    }
    EXPECT_GE(valid, 2 * 40 - 8);  // four intervals a second
  }
}

TEST(MarkingCsv, RunsOfDifferentMarkingAreNotOneFile) {
  const auto read = parse_marking_csv(file() + marking_csv(reporter("dscp:2,3"), report()));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "line 4: 'north,observe,double,dscp:2;3,256ms' instead of "
            "'north,observe,double,dscp:1;0,256ms', as in the lines before");
}

// One unusable pulse does not invalidate all others.
TEST(MarkingCsv, APulseFarFromItsIntervalIsLeftOut) {
  MarkingReport far = report();
  far.records[0].pulse_time = MarkingInterval{-2}.start_of(7) + 37s;
  const auto read =
      parse_marking_csv(file() + marking_csv(reporter(), far) + marking_csv(reporter(), report()));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->records.records.size(), 3u);
  EXPECT_EQ(read->records.records[0].pulses, 1u);
  EXPECT_EQ(read->records.records[1].pulses, 0u);
  EXPECT_EQ(read->records.records[1].packets, 1234u);
}

// By whichever way a point's records come, the same file is joined.
TEST(MarkingCsv, AStoreGivesTheSameFileAsTheLines) {
  const MarkingReporter who = reporter();
  MarkingReport clear = report();
  clear.interval = clear.records[0].interval = 8;
  clear.doubt.reset();
  clear.records[0].pulses = 0;
  PointMarks marks{.point = who.point,
                   .instance = 1,
                   .run = {.duty = "observe", .method = "double", .carrier = "dscp:1,0"},
                   .counts = {}};
  marks.run.exponent = -2;
  marks.run.clock_error = who.clock_error;
  marks.run.since = who.since;
  std::string text{marking_csv_header};
  for (const MarkingReport& each : {report(), clear}) {
    text += marking_csv(who, each);
    const auto counts = counts_of(who.setup, each);
    marks.counts.insert(marks.counts.end(), counts.begin(), counts.end());
  }
  const auto lines = parse_marking_csv(text), values = marking_file_of("north", {marks});
  ASSERT_TRUE(lines && values) << values.error().message;
  EXPECT_EQ(values->point, lines->point);
  EXPECT_EQ(values->duty, lines->duty);
  EXPECT_EQ(values->method, lines->method);
  EXPECT_EQ(values->carrier, lines->carrier);
  EXPECT_EQ(values->length, lines->length);
  EXPECT_EQ(values->clock_error, lines->clock_error);
  EXPECT_EQ(values->copies, lines->copies);
  EXPECT_EQ(values->flows, lines->flows);
  EXPECT_EQ(values->records.read, lines->records.read);
  EXPECT_EQ(values->records.doubts, lines->records.doubts);
  EXPECT_EQ(values->records.span.since, lines->records.span.since);
  EXPECT_EQ(values->records.span.until, lines->records.span.until);
  ASSERT_EQ(values->records.records.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const MarkingRecord &a = values->records.records[i], &b = lines->records.records[i];
    EXPECT_EQ(std::tie(a.flow, a.interval, a.packets, a.pulses, a.pulse_time, a.late, a.early),
              std::tie(b.flow, b.interval, b.packets, b.pulses, b.pulse_time, b.late, b.early));
    EXPECT_EQ(std::tie(a.middle, a.contrary, a.other, a.marked_before, a.repeats, a.read_at),
              std::tie(b.middle, b.contrary, b.other, b.marked_before, b.repeats, b.read_at));
  }
  PointMarks changed = marks;
  changed.run.carrier = "dscp:2,3";
  const auto refused = marking_file_of("north", {marks, changed});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("north has changed in this time"), std::string::npos);
  EXPECT_FALSE(marking_file_of("north", {}));
}

}  // namespace
}  // namespace sojourn
