#include "ipfix/ntp_time.h"

#include <gtest/gtest.h>

#include <random>

#include "ipfix/test_reports.h"

namespace sojourn::ipfix {
namespace {

TEST(NtpTime, CountsFrom1900InBinaryFractions) {
  EXPECT_EQ(to_ntp(timestamp_from_ns(0)), 2'208'988'800ull << 32);
  // Half a second is the first bit of the fraction.
  EXPECT_EQ(to_ntp(timestamp_from_ns(500'000'000)) & 0xffff'ffffu, 0x8000'0000u);
  // RFC 5905: era 1 begins at 2036-02-07 06:28:16.
  EXPECT_EQ(to_ntp(timestamp_from_ns(2'085'978'496'000'000'000)), 0u);
  EXPECT_EQ(from_ntp(0), timestamp_from_ns(2'085'978'496'000'000'000));
}

TEST(NtpTime, EveryNanosecondComesBack) {
  std::mt19937_64 random{1};
  for (int i = 0; i < 100'000; ++i) {
    const Timestamp time = random_time(random);
    ASSERT_EQ(from_ntp(to_ntp(time)), time) << to_ns(time);
  }
  for (const std::int64_t ns : {0, 1, 999'999'999, -1, -999'999'999, -1'000'000'001})
    EXPECT_EQ(to_ns(from_ntp(to_ntp(timestamp_from_ns(ns)))), ns);
}

TEST(NtpTime, WouldNoticeNanosecondsTakenForFractions) {
  const auto misread = [](std::uint64_t ntp) {
    return timestamp_from_ns((static_cast<std::int64_t>(ntp >> 32) - seconds_1900_to_1970) *
                                 1'000'000'000 +
                             static_cast<std::int64_t>(ntp & 0xffff'ffffu));
  };
  const Timestamp time = timestamp_from_ns(1'700'000'000'123'456'789);
  EXPECT_NE(misread(to_ntp(time)), time);
}

TEST(Milliseconds, RoundDownAndStayInRange) {
  EXPECT_EQ(to_milliseconds(timestamp_from_ns(1'999'999)), 1);
  EXPECT_EQ(to_milliseconds(timestamp_from_ns(-1)), -1);
  EXPECT_EQ(from_milliseconds(1'700'000'000'123), timestamp_from_ns(1'700'000'000'123'000'000));
  EXPECT_EQ(to_ns(from_milliseconds(static_cast<std::uint64_t>(-5))), -5'000'000);
  EXPECT_GT(to_ns(from_milliseconds(~0ull >> 1)), 9'000'000'000'000'000'000);
}

}  // namespace
}  // namespace sojourn::ipfix
