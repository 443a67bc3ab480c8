#include "capture/time_bound.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "core/units.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Local time is New York's, five hours behind UTC in winter and four in summer.
class TimeBoundTest : public testing::Test {
 protected:
  void SetUp() override { set_zone("EST5EDT,M3.2.0,M11.1.0"); }
  void TearDown() override { set_zone("UTC0"); }
  static void set_zone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  static constexpr Timestamp first = timestamp_from_ns(1'794'052'800'000'000'000);  // noon UTC
  static std::string meant(std::string_view text) {
    const auto bound = TimeBound::parse(text);
    return bound ? format_time(bound->resolve(first)).substr(0, 23) : bound.error().message;
  }
};

TEST_F(TimeBoundTest, IsUnderstoodInEveryForm) {
  EXPECT_EQ(meant("90s"), "2026-11-07T12:01:30.000");
  EXPECT_EQ(meant("0s"), "2026-11-07T12:00:00.000");
  EXPECT_EQ(meant("2026-11-15T02:33:11Z"), "2026-11-15T02:33:11.000");
  EXPECT_EQ(meant("2026-11-15 02:33:11.25Z"), "2026-11-15T02:33:11.250");
  EXPECT_EQ(meant("2026-11-15T02:33+01:00"), "2026-11-15T01:33:00.000");
  EXPECT_EQ(meant("2026-11-15T02:33:11-0330"), "2026-11-15T06:03:11.000");
  EXPECT_EQ(meant("2026-11-15 02:33:11"), "2026-11-15T07:33:11.000") << "local";
  EXPECT_EQ(meant("2026-07-15T02:33"), "2026-07-15T06:33:00.000") << "summer time";
  EXPECT_EQ(meant("2026-11-15"), "2026-11-15T05:00:00.000") << "local midnight";
  EXPECT_EQ(meant("07:30"), "2026-11-07T12:30:00.000") << "local, on the capture's day";
  EXPECT_EQ(meant("07:30:10.5"), "2026-11-07T12:30:10.500");
}

TEST_F(TimeBoundTest, IsRefusedWithWhatWouldBeUnderstood) {
  for (const auto text : {"", "noon", "12", "25:00", "12:60", "12:00:61", "12:00x", "2026-13-01",
                          "2026-02-30", "2026-11-15T", "2026-11-15X12:00", "2026-11-15 12:00 Z",
                          "2026-11-15T12:00:00.Z", "0001-01-01", "-5s", "2026-11-15T12:00+1"})
    EXPECT_NE(meant(text).find("is not a time: expected"), std::string::npos)
        << text << ": " << meant(text);
}

TEST_F(TimeBoundTest, ATimeOfDayBeforeTheStartEndsTheRangeOnTheNextDay) {
  TimeRange range{TimeBound::parse("08:00").value(), TimeBound::parse("06:00").value()};
  const auto resolved = range.resolve(first);  // 07:00 local
  EXPECT_EQ(resolved.from, first + 1h);
  EXPECT_EQ(resolved.to, first + 23h);
  EXPECT_FALSE(resolved.has(first));
  EXPECT_TRUE(resolved.has(first + 1h));
  EXPECT_FALSE(resolved.has(first + 23h));
  EXPECT_TRUE(TimeRange{}.resolve(first).has(first));
}

}  // namespace
}  // namespace sojourn
