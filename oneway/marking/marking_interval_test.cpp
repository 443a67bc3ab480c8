#include "oneway/marking/marking_interval.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(MarkingInterval, SixteenSecondsAreBits4To2OfTheSeconds) {
  const MarkingInterval interval{4};
  for (std::int64_t second = 0; second < 200; ++second) {
    const MarkingMoment moment =
        interval.at(timestamp_from_ns(second * 1'000'000'000 + 999'999'999));
    EXPECT_EQ(moment.time_bits, static_cast<unsigned>(second >> 2 & 7));
    EXPECT_EQ(moment.interval, second / 16);
  }
}

TEST(MarkingInterval, StartsWhereItSaysAtEveryLength) {
  for (int exponent = MarkingInterval::shortest; exponent <= MarkingInterval::longest; ++exponent) {
    const MarkingInterval interval{exponent};
    for (const std::int64_t near :
         {std::int64_t{0}, std::int64_t{1'700'000'000}, std::int64_t{-1'000'000'000}}) {
      const std::int64_t number = interval.at(timestamp_from_ns(near * 1'000'000'000)).interval;
      for (std::int64_t n = number - 3; n < number + 3; ++n) {
        const Timestamp start = interval.start_of(n);
        EXPECT_EQ(interval.at(start).interval, n);
        EXPECT_EQ(interval.at(start).quarter(), 0u);
        EXPECT_EQ(interval.at(start).colour(), static_cast<unsigned>(n & 1));
        EXPECT_EQ(interval.at(start - Duration{1}).interval, n - 1);
        EXPECT_EQ(interval.at(start - Duration{1}).quarter(), 3u);
      }
    }
  }
}

TEST(MarkingInterval, IsUnderstoodByItsNames) {
  for (int exponent = MarkingInterval::shortest; exponent <= MarkingInterval::longest; ++exponent)
    EXPECT_EQ(MarkingInterval::parse(MarkingInterval{exponent}.name())->exponent(), exponent);
  EXPECT_EQ(MarkingInterval::parse("1ms")->exponent(), -10);
  EXPECT_EQ(MarkingInterval::parse("62.5ms")->exponent(), -4);
  EXPECT_EQ(MarkingInterval::parse("500ms")->exponent(), -1);
  for (const auto* text : {"3s", "128s", "500us", "10s", "1", "0s", "1.1s"})
    EXPECT_FALSE(MarkingInterval::parse(text)) << text;
}

}  // namespace
}  // namespace sojourn
