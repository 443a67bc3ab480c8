#include "capture/ranged_source.h"

#include <gtest/gtest.h>

#include "capture/files/open.h"
#include "capture/first_time.h"
#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

/// A packet a second, identified by its size.
std::unique_ptr<Source> ten_minutes() {
  static const PcapWriter capture = [] {
    PcapWriter writer;
    for (std::uint32_t i = 0; i < 600; ++i) writer.packet(1'000'000 + i, 0, 10 + i);
    return writer;
  }();
  return *open_memory(capture.data, "ten minutes", 0);
}

ReadAll read_range(const char* from, const char* to) {
  TimeRange range;
  if (from) range.from = TimeBound::parse(from).value();
  if (to) range.to = TimeBound::parse(to).value();
  RangedSource source{ten_minutes(), range};
  return read_all(source, 128);
}

TEST(RangedSource, PassesOnWhatLiesInTheRangeAndCountsTheRest) {
  const ReadAll all = read_range("100s", "103s");
  ASSERT_EQ(all.packets.size(), 3u);
  EXPECT_EQ(all.packets[0].time_ns, 1'000'100 * 1'000'000'000ll);
  EXPECT_EQ(all.packets[0].bytes.size(), 110u);
  EXPECT_EQ(all.counters.packets, 3u);
  EXPECT_EQ(all.counters.bytes, 3 * 1000u + 110 + 111 + 112);
  EXPECT_GE(all.counters.filtered, 100u + 60u);
  EXPECT_LT(all.counters.filtered, 400u) << "reading ends a minute behind the range";
}

TEST(RangedSource, TakesOneBoundWithoutTheOther) {
  EXPECT_EQ(read_range("590s", nullptr).packets.size(), 10u);
  EXPECT_EQ(read_range(nullptr, "5s").packets.size(), 5u);
  EXPECT_EQ(read_range("1970-01-12T13:46:40Z", "1970-01-12T13:46:42Z").packets.size(), 2u);
  EXPECT_EQ(read_range("1h", nullptr).packets.size(), 0u);
}

TEST(FirstTime, IsThatOfTheFirstPacketThatIsPassedOn) {
  TimeRange range;
  EXPECT_EQ(first_time(*ten_minutes()), timestamp_from_ns(1'000'000 * 1'000'000'000ll));
  range.from = TimeBound::parse("500s").value();  // some batches are empty before it
  RangedSource late{ten_minutes(), range};
  EXPECT_EQ(first_time(late), timestamp_from_ns(1'000'500 * 1'000'000'000ll));
  range.from = TimeBound::parse("1h").value();
  RangedSource none{ten_minutes(), range};
  EXPECT_EQ(first_time(none), std::nullopt);
}

TEST(RangedSource, SaysWhenTheCaptureWasIfNothingLiesInTheRange) {
  TimeRange range;
  range.from = TimeBound::parse("1h").value();
  RangedSource source{ten_minutes(), range};
  read_all(source, 128);
  ASSERT_EQ(source.warnings().size(), 1u);
  EXPECT_EQ(source.warnings()[0],
            "no packet lies in the range asked for: those read are from 1970-01-12 13:46:40.000 "
            "to 1970-01-12 13:56:39.000 UTC");
  range.from = TimeBound::parse("590s").value();
  RangedSource some{ten_minutes(), range};
  read_all(some, 128);
  EXPECT_TRUE(some.warnings().empty());
}

}  // namespace
}  // namespace sojourn
