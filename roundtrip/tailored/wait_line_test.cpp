// Whether a line knows every age, whatever the clock has done, and loses no request when it
// converts.

#include "roundtrip/tailored/wait_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>

namespace sojourn {
namespace {

constexpr unsigned fingerprint = 0x2bcde;
constexpr std::int64_t second = 1'000'000'000, hour = 3'600 * second;

/// The entry that waits, unless it has expired or is gone.
std::optional<WaitEntry> found(WaitLine& line, std::int64_t now_ns) {
  line.look(now_ns);
  const unsigned holders = line.holders(fingerprint);
  if (holders == 0) return std::nullopt;
  const WaitEntry entry = line.at(static_cast<unsigned>(std::countr_zero(holders)), now_ns);
  return entry.is_over() ? std::nullopt : std::optional{entry};
}
WaitLine line_with(unsigned step, std::int64_t now_ns, bool is_long_lived = false) {
  WaitLine line{};
  line.look(now_ns);
  line.put({.step = step,
            .fingerprint = fingerprint,
            .stands_for = 13,
            .plan_parity = step & 1,
            .is_long_lived = is_long_lived},
           now_ns);
  return line;
}

TEST(WaitLine, KnowsEveryAgeToTheNanosecondUpToElevenSeconds) {
  for (unsigned step = 1; step < WaitSteps::count; ++step) {
    const std::int64_t start = 1'700'000'000'987'654'321, wait = WaitSteps::longest_ns(step);
    const double unit = wait <= 11'585'237'502 ? 0 : static_cast<double>(wait) * 0x1p-32;
    for (const bool many_looks : {true, false}) {
      WaitLine line = line_with(step, start, step % 2 == 0);
      for (std::int64_t age = 0; age < wait; age += wait / 7 + 1) {
        if (!many_looks) line = line_with(step, start, step % 2 == 0);
        const auto entry = found(line, start + age);
        ASSERT_TRUE(entry) << step << " " << age;
        ASSERT_NEAR(static_cast<double>(entry->age_ns), static_cast<double>(age), unit) << step;
        EXPECT_EQ(entry->step, step);
        EXPECT_EQ(entry->stands_for, 13u);
        EXPECT_EQ(entry->plan_parity, step & 1);
        EXPECT_EQ(entry->is_long_lived, step % 2 == 0);
      }
      EXPECT_FALSE(found(line, start + wait + static_cast<std::int64_t>(unit) + 1)) << step;
    }
  }
}

// At some start times the narrow lines once had wrong ages: every hour of the wraps, negative times
// and the ends.
TEST(WaitLine, StartsAtAnyTime) {
  std::mt19937_64 random{20'261'115};
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t start = i == 0   ? 0
                               : i == 1 ? std::numeric_limits<std::int64_t>::min()
                               : i == 2 ? std::numeric_limits<std::int64_t>::max() - 20 * second
                                        : static_cast<std::int64_t>(random()) / 2;
    const auto step = static_cast<unsigned>(random() % 47) + 1;
    const auto age = static_cast<std::int64_t>(
        random() % static_cast<std::uint64_t>(WaitSteps::longest_ns(step)));
    WaitLine line = line_with(step, start);
    const auto entry = found(line, start + age);
    ASSERT_TRUE(entry) << start << " " << step << " " << age;
    ASSERT_EQ(entry->age_ns, age) << start << " " << step;
  }
}

// Steps of 44 and 20 are waits of 4.3 s and 1 ms; in a roomy line an hour has a coarser unit.
TEST(WaitLine, AnotherPlanLeavesAgeAndWeightAsTheyWere) {
  const std::int64_t start = 1'700'000'000'987'654'321, age = 700'000;
  for (const unsigned others : {0u, 8u}) {
    for (const unsigned step : {44u, 63u}) {
      WaitLine line = line_with(step, start);
      for (unsigned i = 0; i < others; ++i) line.put({.step = 46, .fingerprint = 1 + i}, start);
      EXPECT_EQ(line.is_dense(), others > 0);
      const auto slot = static_cast<unsigned>(std::countr_zero(line.holders(fingerprint)));
      const auto before = found(line, start + age);
      line.change_plan(slot, 20, 1 - (step & 1));
      const auto after = found(line, start + age);
      ASSERT_TRUE(before && after);
      EXPECT_EQ(after->step, 20u);
      EXPECT_EQ(after->plan_parity, 1 - (step & 1));
      EXPECT_EQ(after->stands_for, 13u);
      EXPECT_EQ(after->age_ns, before->age_ns);
      EXPECT_FALSE(found(line, start + WaitSteps::longest_ns(20) + 10'000));
      for (unsigned i = 0; i < others; ++i) EXPECT_NE(line.holders(1 + i), 0u);
    }
  }
}

TEST(WaitLine, WhatIsOverIsNeverYoungAgain) {
  for (const unsigned step : {1u, 2u, 20u, 40u, 47u, 48u, 63u}) {
    for (const std::int64_t later :
         {(std::int64_t{1} << 34) - 5, (std::int64_t{1} << 34) + 5, std::int64_t{3} << 34, hour,
          std::int64_t{1} << 42, 7 * hour, 24 * hour, 365 * 24 * hour}) {
      const std::int64_t wait = WaitSteps::longest_ns(step);
      for (const std::int64_t start :
           {std::int64_t{12'345}, std::int64_t{1'700'000'000'000'000'000}}) {
        WaitLine line = line_with(step, start);
        const auto entry = found(line, start + later);
        EXPECT_EQ(entry.has_value(), later <= wait) << step << " " << later;
        // Many other reads in between make no difference.
        line = line_with(step, start);
        for (std::int64_t age = 0; age < later; age += later / 100) line.look(start + age);
        EXPECT_EQ(found(line, start + later).has_value(), later <= wait) << step << " " << later;
      }
    }
  }
}

TEST(WaitLine, AClockThatStepsBackLosesNothing) {
  for (const std::int64_t back :
       {std::int64_t{1}, std::int64_t{1'000}, second / 2, 3 * second, 8 * second}) {
    const std::int64_t start = 1'700'000'000'000'000'000;
    WaitLine line = line_with(44, start);  // waits four seconds
    auto entry = found(line, start - back);
    ASSERT_TRUE(entry) << back;
    EXPECT_EQ(entry->age_ns, -back);
    // A request at the earlier time is measured correctly, and the first one still is.
    line.put({.step = 46, .fingerprint = 77}, start - back);
    entry = found(line, start + second / 10);
    ASSERT_TRUE(entry) << back;
    EXPECT_EQ(entry->age_ns, second / 10);
    const unsigned other = line.holders(77);
    ASSERT_EQ(std::popcount(other), 1);
    EXPECT_EQ(line.at(static_cast<unsigned>(std::countr_zero(other)), start + second / 10).age_ns,
              back + second / 10);
  }
  WaitLine line = line_with(44, 1'700'000'000'000'000'000);
  EXPECT_FALSE(
      found(line, 1'700'000'000'000'000'000 - 60 * second));  // further back is another time
}

/// All that a line holds, by fingerprint, with its age.
std::map<unsigned, WaitEntry> entries(WaitLine& line, std::int64_t now_ns) {
  std::map<unsigned, WaitEntry> all;
  line.look(now_ns);
  for (unsigned i = 0; i < (line.is_dense() ? WaitLine::slots : WaitLine::roomy_slots); ++i)
    if (const WaitEntry entry = line.at(i, now_ns); entry.fingerprint != 0 && !entry.is_over())
      all.emplace(entry.fingerprint, entry);
  return all;
}

TEST(WaitLine, TheEighthMakesItDenseAndTheEleventhFull) {
  const std::int64_t start = 5 * hour;
  WaitLine line{};
  line.look(start);
  for (unsigned i = 1; i <= WaitLine::slots; ++i) {
    EXPECT_FALSE(line.is_full());
    line.put({.step = 47,
              .fingerprint = i,
              .stands_for = i,
              .plan_parity = i & 1,
              .is_long_lived = i % 3 == 0},
             start + i * 1'000'000);
    EXPECT_EQ(line.is_dense(), i > WaitLine::roomy_slots) << i;
    EXPECT_EQ(entries(line, start + i * 1'000'000).size(), i);
  }
  EXPECT_TRUE(line.is_full());
  for (const auto& [name, entry] : entries(line, start + 50'000'000)) {
    EXPECT_NEAR(static_cast<double>(entry.age_ns), 50e6 - name * 1e6,
                (50e6 - name * 1e6) / 256 + 128);
    EXPECT_EQ(entry.stands_for, name);
    EXPECT_EQ(entry.plan_parity, name & 1);
    EXPECT_EQ(entry.is_long_lived, name % 3 == 0);
    EXPECT_EQ(entry.step, 47u);
    EXPECT_EQ(std::popcount(line.holders(name)), 1);
  }
}

TEST(WaitLine, MakesRoomOfWhatIsOverAndOfNothingElse) {
  const std::int64_t start = 5 * hour, wait = WaitSteps::longest_ns(30);
  for (unsigned brief = 1; brief <= WaitLine::slots; ++brief) {
    WaitLine line{};
    line.look(start);
    for (unsigned i = 1; i <= WaitLine::slots; ++i)
      line.put({.step = i == brief ? 30u : 47u, .fingerprint = i}, start);
    line.sweep(start + wait * 99 / 100);
    EXPECT_TRUE(line.is_full());
    line.sweep(start + wait * 101 / 100);
    EXPECT_FALSE(line.is_full());
    for (unsigned i = 1; i <= WaitLine::slots; ++i)
      EXPECT_EQ(std::popcount(line.holders(i)), i == brief ? 0 : 1);
  }
}

TEST(WaitLine, IsExactAgainWhenFewAreLeft) {
  const std::int64_t start = 3 * hour;
  WaitLine line{};
  line.look(start);
  for (unsigned i = 1; i <= WaitLine::slots; ++i)
    line.put({.step = i <= 8 ? 20u : 47u, .fingerprint = i}, start);
  const std::int64_t later = start + WaitSteps::longest_ns(20) * 2;
  line.look(later);
  line.put({.step = 47, .fingerprint = 99}, later);
  EXPECT_FALSE(line.is_dense());
  const auto left = entries(line, later + 12'345'678);
  EXPECT_EQ(left.size(), 4u);
  EXPECT_EQ(left.at(99).age_ns, 12'345'678);
  EXPECT_NEAR(static_cast<double>(left.at(9).age_ns),
              static_cast<double>(later - start) + 12'345'678,
              static_cast<double>(later - start) / 256 + 128);
}

/// A line beside a plain list of its expected contents: random puts, responses, sweeps and clocks.
TEST(WaitLine, HoldsWhatAListHolds) {
  std::mt19937_64 random{20'261'116};
  for (int run = 0; run < 300; ++run) {
    struct Kept {
      std::int64_t sent_ns;
      unsigned step;
    };
    std::map<unsigned, Kept> list;
    WaitLine line{};
    std::int64_t now = static_cast<std::int64_t>(random()) / 4;
    unsigned dense = 0, next = 1;
    for (int event = 0; event < 400; ++event) {
      // Mostly microseconds to milliseconds, now and then seconds, and a little back.
      const auto size = std::exp2(static_cast<double>(random() % 330) / 10);
      now += static_cast<std::int64_t>(size) - (random() % 16 == 0 ? 50'000 : 0);
      line.look(now);
      std::erase_if(list, [&](const auto& one) {  // a little early or late is right too
        const std::int64_t age = now - one.second.sent_ns,
                           wait = WaitSteps::longest_ns(one.second.step);
        return age > wait + wait / 200 + 200'000;
      });
      line.sweep(now);
      if (!line.is_full() && random() % 4 != 0) {
        const auto step = static_cast<unsigned>(34 + random() % 14);
        line.put({.step = step, .fingerprint = next}, now);
        list.emplace(next++, Kept{now, step});
      } else if (!list.empty()) {
        const auto one =
            std::next(list.begin(), static_cast<std::ptrdiff_t>(random() % list.size()));
        if (const unsigned holders = line.holders(one->first))
          line.clear(static_cast<unsigned>(std::countr_zero(holders)));
        list.erase(one);
      }
      dense += line.is_dense();
      const auto held = entries(line, now);
      for (const auto& [name, kept] : list) {
        const std::int64_t age = now - kept.sent_ns, wait = WaitSteps::longest_ns(kept.step);
        if (age > wait - wait / 200 - 200'000) continue;
        ASSERT_TRUE(held.contains(name)) << run << " " << event;
        ASSERT_NEAR(static_cast<double>(held.at(name).age_ns), static_cast<double>(age),
                    std::fabs(static_cast<double>(age)) / 100 +
                        2200)  // several forms; the clock steps back
            << run << " " << event;
      }
      for (const auto& [name, entry] : held) ASSERT_TRUE(list.contains(name)) << name;
    }
    if (run == 0) {
      EXPECT_GT(dense, 10u);
    }
  }
}

/// A dense line knows its last sweep within 2.4 hours.  An hour later nothing is left.
TEST(WaitLine, ADenseLineIsEmptyAfterAnHour) {
  for (const std::int64_t later : {hour + second, 2 * hour}) {
    WaitLine line{};
    line.look(77 * hour);
    for (unsigned i = 1; i <= 9; ++i) line.put({.step = 63, .fingerprint = i}, 77 * hour);
    line.close();
    line.look(77 * hour + later);
    EXPECT_TRUE(entries(line, 77 * hour + later).empty());
    EXPECT_TRUE(line.is_closed());  // which only the table changes
  }
}

TEST(WaitLine, NoKeyLooksLikeAnEmptySlot) {
  const WaitLine line{};
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{1} << 40})
    EXPECT_EQ(line.holders(WaitLine::fingerprint_of(key)), 0u);
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
