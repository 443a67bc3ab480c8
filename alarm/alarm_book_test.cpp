#include "alarm/alarm_book.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

AlarmFinding finding(AlarmState state, const std::string& group = "", Duration value = 60ms,
                     const std::string& subject = "a:b") {
  AlarmFinding one{"oneway p95 < 50ms", subject, group, {}};
  one.judgement.state = state;
  one.judgement.value = value;
  return one;
}

TEST(AlarmBook, OpensByWhatIsBadAndClearsByWhatStaysGood) {
  AlarmBook book;
  EXPECT_TRUE(book.take(start, {finding(AlarmState::unclear)}).empty());
  const auto opened = book.take(start + 1min, {finding(AlarmState::bad)});
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(opened[0].first, AlarmBook::Change::opened);
  EXPECT_TRUE(book.take(start + 2min, {finding(AlarmState::bad)}).empty());  // reported once
  for (int i = 0; i < AlarmBook::calm - 1; ++i)
    EXPECT_TRUE(book.take(start + (3 + i) * 1min, {finding(AlarmState::good)}).empty());
  // An unclear round in between restarts the count.
  EXPECT_TRUE(book.take(start + 10min, {finding(AlarmState::unclear)}).empty());
  for (int i = 0; i < AlarmBook::calm - 1; ++i)
    EXPECT_TRUE(book.take(start + (11 + i) * 1min, {finding(AlarmState::good)}).empty());
  const auto closed = book.take(start + 20min, {finding(AlarmState::good)});
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].first, AlarmBook::Change::closed);
  EXPECT_EQ(closed[0].second.since, start + 1min);
  EXPECT_EQ(closed[0].second.until, start + 20min);
  EXPECT_TRUE(book.open().empty());
  EXPECT_EQ(book.past().size(), 1u);
}

TEST(AlarmBook, FiftyPrefixesBehindASegmentAreOneAlarm) {
  AlarmBook book;
  std::vector<AlarmFinding> findings;
  for (int i = 0; i < 50; ++i)
    findings.push_back(
        finding(AlarmState::bad, "10.0." + std::to_string(i) + ".0/24", 60ms + i * 1ms));
  const auto changes = book.take(start, findings);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].second.groups.size(), 50u);
  EXPECT_EQ(changes[0].second.worst.value, 109ms);
  // Later bad groups open no other alarm; each has to be good before it clears.
  EXPECT_TRUE(book.take(start + 1min, {finding(AlarmState::bad, "10.1.0.0/24")}).empty());
  for (AlarmFinding& each : findings) each.judgement.state = AlarmState::good;
  for (int i = 0; i < 2 * AlarmBook::calm; ++i)
    EXPECT_TRUE(book.take(start + (2 + i) * 1min, findings).empty());
  findings.push_back(finding(AlarmState::good, "10.1.0.0/24"));
  std::size_t closed = 0;
  for (int i = 0; i < AlarmBook::calm; ++i)
    closed += book.take(start + (20 + i) * 1min, findings).size();
  EXPECT_EQ(closed, 1u);
}

TEST(AlarmBook, AnotherSubjectIsAnotherAlarm) {
  AlarmBook book;
  EXPECT_EQ(book.take(start, {finding(AlarmState::bad), finding(AlarmState::bad, "", 60ms, "c:d")})
                .size(),
            2u);
}

TEST(AlarmBook, SilenceEndsAnAlarmAtLast) {
  AlarmBook book;
  book.take(start, {finding(AlarmState::bad)});
  std::size_t changes = 0;
  int rounds = 0;
  for (; changes == 0 && rounds < 1000; ++rounds)
    changes = book.take(start + rounds * 1min, {}).size();
  EXPECT_EQ(rounds, AlarmBook::silence);
}

}  // namespace
}  // namespace sojourn
