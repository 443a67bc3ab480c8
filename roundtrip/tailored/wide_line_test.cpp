// Does a line of seven know every age, whatever the clock has done?

#include "roundtrip/tailored/wide_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace sojourn {
namespace {

constexpr unsigned fingerprint = 0xabcde;
constexpr std::int64_t second = 1'000'000'000, hour = 3'600 * second;

/// The entry that waits, unless it is over or gone.
std::optional<WaitEntry> found(WideLine& line, std::int64_t now_ns) {
  line.look(now_ns);
  const unsigned holders = line.holders(fingerprint);
  if (holders == 0) return std::nullopt;
  const WaitEntry entry = line.at(static_cast<unsigned>(std::countr_zero(holders)), now_ns);
  return entry.is_over() ? std::nullopt : std::optional{entry};
}
WideLine line_with(unsigned step, std::int64_t now_ns, bool is_long_lived = false) {
  WideLine line{};
  line.look(now_ns);
  line.put(
      line.room(now_ns),
      {.step = step, .fingerprint = fingerprint, .stands_for = 5, .is_long_lived = is_long_lived},
      now_ns);
  return line;
}

TEST(WideLine, KnowsEveryAgeToTheNanosecondUpToElevenSeconds) {
  for (unsigned step = 1; step < WaitSteps::count; ++step) {
    const std::int64_t start = 1'700'000'000'987'654'321, wait = WaitSteps::longest_ns(step);
    const double unit = wait <= 11'585'237'502 ? 0 : static_cast<double>(wait) * 0x1p-32;
    for (const bool many_looks : {true, false}) {
      WideLine line = line_with(step, start, step % 2 == 0);
      for (std::int64_t age = 0; age < wait; age += wait / 7 + 1) {
        if (!many_looks) line = line_with(step, start, step % 2 == 0);
        const auto entry = found(line, start + age);
        ASSERT_TRUE(entry) << step << " " << age;
        ASSERT_NEAR(static_cast<double>(entry->age_ns), static_cast<double>(age), unit) << step;
        EXPECT_EQ(entry->step, step);
        EXPECT_EQ(entry->stands_for, 5u);
        EXPECT_EQ(entry->is_long_lived, step % 2 == 0);
      }
      EXPECT_FALSE(found(line, start + wait + static_cast<std::int64_t>(unit) + 1)) << step;
    }
  }
}

// At some start times the narrow lines once had wrong ages: every hour of the wraps, negative times
// and the ends.
TEST(WideLine, StartsAtAnyTime) {
  std::mt19937_64 random{20'261'115};
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t start = i == 0   ? 0
                               : i == 1 ? std::numeric_limits<std::int64_t>::min()
                               : i == 2 ? std::numeric_limits<std::int64_t>::max() - 20 * second
                                        : static_cast<std::int64_t>(random()) / 2;
    const auto step = static_cast<unsigned>(random() % 47) + 1;
    const auto age = static_cast<std::int64_t>(
        random() % static_cast<std::uint64_t>(WaitSteps::longest_ns(step)));
    WideLine line = line_with(step, start);
    const auto entry = found(line, start + age);
    ASSERT_TRUE(entry) << start << " " << step << " " << age;
    ASSERT_EQ(entry->age_ns, age) << start << " " << step;
  }
}

TEST(WideLine, WhatIsOverIsNeverYoungAgain) {
  for (const unsigned step : {1u, 2u, 20u, 40u, 47u, 48u, 63u}) {
    for (const std::int64_t later :
         {(std::int64_t{1} << 34) - 5, (std::int64_t{1} << 34) + 5, std::int64_t{3} << 34, hour,
          std::int64_t{1} << 42, 7 * hour, 24 * hour, 365 * 24 * hour}) {
      const std::int64_t wait = WaitSteps::longest_ns(step);
      for (const std::int64_t start :
           {std::int64_t{12'345}, std::int64_t{1'700'000'000'000'000'000}}) {
        WideLine line = line_with(step, start);
        const auto entry = found(line, start + later);
        EXPECT_EQ(entry.has_value(), later <= wait) << step << " " << later;
        // Many other looks on the way make no difference.
        line = line_with(step, start);
        for (std::int64_t age = 0; age < later; age += later / 100) line.look(start + age);
        EXPECT_EQ(found(line, start + later).has_value(), later <= wait) << step << " " << later;
      }
    }
  }
}

TEST(WideLine, AClockThatStepsBackLosesNothing) {
  for (const std::int64_t back :
       {std::int64_t{1}, std::int64_t{1'000}, second / 2, 3 * second, 8 * second}) {
    const std::int64_t start = 1'700'000'000'000'000'000;
    WideLine line = line_with(44, start);  // waits four seconds
    auto entry = found(line, start - back);
    ASSERT_TRUE(entry) << back;
    EXPECT_EQ(entry->age_ns, -back);
    // What comes at the earlier time is measured right, and the first one still is.
    line.put(line.room(start - back), {.step = 46, .fingerprint = 77}, start - back);
    entry = found(line, start + second / 10);
    ASSERT_TRUE(entry) << back;
    EXPECT_EQ(entry->age_ns, second / 10);
    const unsigned other = line.holders(77);
    ASSERT_EQ(std::popcount(other), 1);
    EXPECT_EQ(line.at(static_cast<unsigned>(std::countr_zero(other)), start + second / 10).age_ns,
              back + second / 10);
  }
  WideLine line = line_with(44, 1'700'000'000'000'000'000);
  EXPECT_FALSE(
      found(line, 1'700'000'000'000'000'000 - 60 * second));  // further back is another time
}

TEST(WideLine, MakesRoomOfWhatIsOverAndOfNothingElse) {
  const std::int64_t start = 5 * hour, wait = WaitSteps::longest_ns(20);
  for (unsigned brief = 0; brief < WideLine::slots; ++brief) {
    WideLine line{};
    line.look(start);
    for (unsigned i = 0; i < WideLine::slots; ++i) {
      ASSERT_EQ(line.room(start), i);
      line.put(i, {.step = i == brief ? 20u : 47u, .fingerprint = 100 + i}, start);
    }
    line.look(start + wait);
    EXPECT_EQ(line.room(start + wait), WideLine::slots);
    line.look(start + wait + 1);
    EXPECT_EQ(line.room(start + wait + 1), brief);
    for (unsigned i = 0; i < WideLine::slots; ++i)
      EXPECT_EQ(line.holders(100 + i), i == brief ? 0 : 1u << i);
  }
}

TEST(WideLine, NoKeyLooksLikeAnEmptySlot) {
  const WideLine line{};
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{1} << 40})
    EXPECT_EQ(line.holders(WideLine::fingerprint_of(key)), 0u);
}

TEST(WaitSteps, FirstStepThatCovers) {
  for (unsigned step = 1; step < WaitSteps::count; ++step) {
    const std::int64_t wait = WaitSteps::longest_ns(step);
    EXPECT_NEAR(static_cast<double>(wait), std::exp2(10 + 0.5 * step), 1);
    EXPECT_EQ(WaitSteps::covering(wait), step);
    EXPECT_EQ(WaitSteps::covering(wait + 1), step + 1);
  }
  EXPECT_EQ(WaitSteps::covering(-5), 1u);
  EXPECT_EQ(WaitSteps::covering(std::numeric_limits<std::int64_t>::max()), WaitSteps::count);
}

}  // namespace
}  // namespace sojourn
