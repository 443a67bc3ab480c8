#include "alarm/alarm_round.h"

#include <gtest/gtest.h>

#include "store/test_store.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration week = 24h * 7;
constexpr Timestamp hour = slice_of(TestStore::start, 1h);
constexpr auto tcp = number_of(Kind::tcp);

AlarmOptions options_of(const char* rule) {
  AlarmOptions options;
  options.rules.push_back(*AlarmRule::parse(rule));
  return options;
}

/// A thousand samples of a thousand flows, with delays near `delay`, within `length`.
void fill(TestStore& store, Timestamp from, Duration length, Duration delay,
          const char* prefix = "198.51.100.0") {
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t ns = to_ns(delay) * (95 + i * 7 % 11) / 100;
    store.add("north", tcp, from + length * i / 1000, LogBuckets::index_of(ns), 1, i, prefix);
  }
}

/// The judgement at `now` of the only group.
AlarmJudgement look(AlarmRounds& rounds, TestStore& store, Timestamp now) {
  const auto findings = rounds.look(store, now);
  EXPECT_TRUE(findings);
  if (!findings || findings->size() != 1) {
    ADD_FAILURE() << "one finding expected";
    return {};
  }
  return findings->front().judgement;
}

// This hour is usually at 20 ms and the next one at 40 ms.  The hours beside them, a day before and
// five weeks before are at 90 ms.  Only the right four hours give 20 ms.
TestStore four_weeks() {
  TestStore store;
  for (int back = 1; back <= 4; ++back) {
    fill(store, hour - back * week, 1h, 20ms);
    fill(store, hour - back * week + 1h, 1h, 40ms);
    fill(store, hour - back * week - 1h, 1h, 90ms);
  }
  fill(store, hour - 24h, 1h, 90ms);
  fill(store, hour - 5 * week, 1h, 90ms);
  return store;
}

TEST(AlarmRounds, TheUsualIsThatOfTheSameHourOfTheFourWeeksBefore) {
  TestStore store = four_weeks();
  fill(store, hour + 25min, 5min, 30ms);
  AlarmRounds rounds{options_of("tcp usual")};
  const auto judgement = look(rounds, store, hour + 30min + 10s);
  EXPECT_EQ(judgement.state, AlarmState::bad);
  ASSERT_TRUE(judgement.bound);
  EXPECT_NEAR(static_cast<double>(to_ns(*judgement.bound)), 20e6, 0.5e6);
}

TEST(AlarmRounds, TheUsualIsLearnedAnewWithTheNextHour) {
  TestStore store = four_weeks();
  fill(store, hour + 25min, 5min, 20ms);
  fill(store, hour + 1h + 25min, 5min, 40ms);
  AlarmRounds rounds{options_of("each tcp usual")};
  EXPECT_EQ(look(rounds, store, hour + 30min + 10s).state, AlarmState::good);
  EXPECT_EQ(look(rounds, store, hour + 1h + 30min + 10s).state, AlarmState::good);
  // Compared with the hour before it would be twice as slow.
  TestStore stale = four_weeks();
  fill(stale, hour + 25min, 5min, 40ms);
  EXPECT_EQ(look(rounds, stale, hour + 30min + 10s).state, AlarmState::bad);
}

// Rising from 24 to 35 ms within two hours: at the edge between them it is 30 ms.  The hour before
// has 26.5 and the hour after 32.5.
TEST(AlarmRounds, TheUsualHasItsMiddleWhereTheWindowIs) {
  TestStore store;
  for (int back = 1; back <= 4; ++back)
    for (int ten = -6; ten < 6; ++ten)
      fill(store, hour - back * week + ten * 10min, 10min, 30ms + ten * 1ms);
  fill(store, hour - 150s, 5min, 30ms);
  AlarmRounds rounds{options_of("tcp usual")};
  const auto judgement = look(rounds, store, hour + 150s + 10s);
  ASSERT_TRUE(judgement.bound);
  EXPECT_NEAR(static_cast<double>(to_ns(*judgement.bound)), 29.5e6, 0.6e6);
}

TEST(AlarmRounds, OneWeekIsAPastAndNoneSaysNothing) {
  TestStore store;
  fill(store, hour - 3 * week, 1h, 20ms);
  fill(store, hour + 25min, 5min, 30ms);
  AlarmRounds rounds{options_of("tcp usual")};
  EXPECT_EQ(look(rounds, store, hour + 30min + 10s).state, AlarmState::bad);
  TestStore young;
  fill(young, hour - 24h, 1h, 20ms);
  fill(young, hour + 25min, 5min, 30ms);
  AlarmRounds others{options_of("tcp usual")};
  EXPECT_EQ(look(others, young, hour + 30min + 10s).state, AlarmState::unclear);
}

TEST(AlarmRounds, EachPrefixHasAUsualOfItsOwn) {
  TestStore store = four_weeks();
  for (int back = 1; back <= 4; ++back) fill(store, hour - back * week, 1h, 60ms, "203.0.113.0");
  for (const char* prefix : {"198.51.100.0", "203.0.113.0"})
    fill(store, hour + 25min, 5min, 60ms, prefix);
  AlarmRounds rounds{options_of("each tcp usual")};
  const auto findings = rounds.look(store, hour + 30min + 10s);
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 2u);
  for (const AlarmFinding& finding : *findings)
    EXPECT_EQ(finding.judgement.state,
              finding.group.ends_with("198.51.100.0/24") ? AlarmState::bad : AlarmState::good)
        << finding.group;
}

}  // namespace
}  // namespace sojourn
