// Records of alternate marking: what is written is read again, and what cannot be is refused.

#include "ipfix/mark_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ipfix/test_hearing.h"
#include "ipfix/test_reports.h"

namespace sojourn::ipfix {
namespace {

TEST(MarkRecords, AreReadAsTheyWereWritten) {
  for (const std::size_t most : {std::size_t{1'000}, datagram_bytes, std::size_t{16'384}}) {
    SCOPED_TRACE(most);
    std::mt19937_64 random{most};
    for (int round = 0; round < 50; ++round) {
      const MarkingRun run = random_run(random);
      std::vector<MarkCount> counts;
      for (std::uint64_t i = random() % 60; i > 0; --i) counts.push_back(random_mark(random, run));
      const Heard heard = hear(most, [&](MessageWriter& writer) { writer.marks(run, counts); });
      EXPECT_EQ(heard.run, run);
      EXPECT_EQ(heard.marks, counts);
      EXPECT_EQ(heard.records, counts.size());
      std::uint64_t packets = 0;
      for (const MarkCount& count : counts) packets += count.packets;
      EXPECT_EQ(heard.packets, packets);
      EXPECT_EQ(heard.troubles.total(), 0u);
    }
  }
}

TEST(MarkRecords, WhatCannotBeIsRefusedAndCounted) {
  const auto refused = [](const std::function<void(MarkingRun&, MarkCount&)>& spoil) {
    std::mt19937_64 random{1};
    MarkingRun run = random_run(random);
    MarkCount count = random_mark(random, run);
    spoil(run, count);
    const Heard heard =
        hear(16'384, [&](MessageWriter& writer) { writer.marks(run, std::vector{count}); });
    return heard.marks.empty() && heard.troubles[Trouble::bad_value] > 0;
  };
  EXPECT_FALSE(refused([](MarkingRun&, MarkCount&) {}));
  EXPECT_TRUE(refused([](MarkingRun& run, MarkCount&) { run.duty = "sleep"; }));
  EXPECT_TRUE(refused([](MarkingRun& run, MarkCount&) { run.method = "triple"; }));
  EXPECT_TRUE(refused([](MarkingRun& run, MarkCount&) { run.carrier = "none"; }));
  EXPECT_TRUE(refused([](MarkingRun& run, MarkCount&) { run.exponent = 7; }));
  EXPECT_TRUE(refused([](MarkingRun& run, MarkCount&) { run.exponent = -11; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.doubt = "fine"; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.flow = "source=nowhere"; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.packets = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.other = 1ull << 60; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.pulses = 1u << 31; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.late = Duration{-1}; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { ++count.interval; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.interval = 1ll << 62; }));
  EXPECT_TRUE(refused([](MarkingRun&, MarkCount& count) { count.start += Duration{1}; }));
}

// A message that was cut and sewn: the run is in another one.
TEST(MarkRecords, WithoutTheirRunAreRefused) {
  std::mt19937_64 random{2};
  const MarkingRun run = random_run(random);
  std::vector<std::byte> bytes;
  MessageWriter writer{{}, [&](const Message& message) {
                         bytes.assign(message.bytes.begin(), message.bytes.end());
                       }};
  writer.begin({"north", 1}, 1, timestamp_from_ns(1'700'000'000'000'000'000));
  writer.marks(run, std::vector{random_mark(random, run), random_mark(random, run)});
  writer.end();
  // Its set becomes one of padding: a template that nobody announced.
  const std::array<std::byte, 2> run_set{std::byte{0x01}, std::byte{0x0b}};
  const auto at = std::ranges::search(bytes, run_set);
  ASSERT_FALSE(at.empty());
  at.begin()[0] = std::byte{0xff};
  Session session;
  PointReport report;
  for (const auto& message : template_messages({}, {})) session.decode(message, report);
  const Decoded decoded = session.decode(bytes, report);
  EXPECT_TRUE(decoded.framed);
  EXPECT_TRUE(report.marks.empty());
  EXPECT_EQ(session.troubles()[Trouble::bad_value], 2u);
  EXPECT_EQ(session.troubles()[Trouble::without_template], 1u);
}

}  // namespace
}  // namespace sojourn::ipfix
