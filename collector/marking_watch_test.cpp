#include "collector/marking_watch.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp began = timestamp_from_ns(1'700'000'000'000'000'000);

MarkingRun run_of(int exponent, Timestamp since = began) {
  MarkingRun run{.duty = "mark", .method = "multiplexed", .carrier = "dscp:0"};
  run.exponent = exponent;
  run.since = since;
  return run;
}

/// Time passes in steps of 200 ms, as it does for a collector; what is new meanwhile.
std::vector<MarkingNews> pass(MarkingWatch& watch, Timestamp& now, Duration time) {
  std::vector<MarkingNews> all;
  for (const Timestamp end = now + time; now < end; now += 200ms)
    for (MarkingNews& news : watch.advance(now)) all.push_back(std::move(news));
  return all;
}

TEST(MarkingWatch, APointIsSilentAfterThreeIntervals) {
  for (const auto& [exponent, patience] :
       {std::pair{0, 3s}, {2, 12s}, {-10, 3s}}) {  // below a second reports come every second
    SCOPED_TRACE(exponent);
    MarkingWatch watch;
    Timestamp now = began;
    watch.advance(now);
    ASSERT_EQ(watch.heard({"north", 1}, WatchedRun{run_of(exponent)}).size(), 1u);
    EXPECT_TRUE(watch.heard({"north", 1}, WatchedRun{run_of(exponent)}).empty());
    EXPECT_TRUE(pass(watch, now, patience).empty());
    const auto news = pass(watch, now, 1s);
    ASSERT_EQ(news.size(), 1u);  // once
    EXPECT_EQ(news[0].state, MarkingState::silent);
    EXPECT_EQ(news[0].point, (PointIdentity{"north", 1}));
    EXPECT_NE(news[0].sentence.find("north has been silent"), std::string::npos);
    EXPECT_TRUE(pass(watch, now, 100s).empty());
    const auto back = watch.heard({"north", 1}, WatchedRun{run_of(exponent)});
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].state, MarkingState::running);
    EXPECT_NE(back[0].sentence.find("reports again"), std::string::npos);
    EXPECT_EQ(pass(watch, now, 100s).size(), 1u);
  }
}

TEST(MarkingWatch, WhoSaidGoodbyeIsNotMissed) {
  MarkingWatch watch;
  Timestamp now = began;
  MarkingRun run = run_of(0);
  watch.heard({"north", 1}, WatchedRun{run});
  run.ended = true;
  const auto news = watch.heard({"north", 1}, WatchedRun{run});
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].state, MarkingState::ended);
  EXPECT_TRUE(news[0].sentence.empty());
  EXPECT_TRUE(pass(watch, now, 100s).empty());
}

TEST(MarkingWatch, AnOldRunOutOfASpoolIsNoLife) {
  MarkingWatch watch;
  Timestamp now = began;
  watch.advance(now);
  watch.heard({"north", 2}, WatchedRun{run_of(0, began + 60s)});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(watch.heard({"north", 1}, WatchedRun{run_of(0, began)}).empty());
    if (!pass(watch, now, 1s).empty()) return;
  }
  FAIL() << "the old run kept the new one alive";
}

TEST(MarkingWatch, ARestartIsToldOfTheRunThatWasLeft) {
  MarkingWatch watch;
  watch.heard({"north", 1}, WatchedRun{run_of(0, began)});
  const auto news = watch.heard({"north", 2}, WatchedRun{run_of(0, began + 1s)});
  ASSERT_EQ(news.size(), 2u);
  EXPECT_EQ(news[0].state, MarkingState::running);
  EXPECT_EQ(news[1].point.instance, 1u);
  EXPECT_EQ(news[1].state, MarkingState::silent);
}

// A collector that was stopped, or whose clock was set, has not listened: nobody is dead for that.
TEST(MarkingWatch, OnlyTimeInWhichItListenedCounts) {
  MarkingWatch watch;
  Timestamp now = began;
  watch.advance(now);
  watch.heard({"north", 1}, WatchedRun{run_of(0)});
  EXPECT_TRUE(watch.advance(now += 1h).empty());
  EXPECT_TRUE(watch.advance(now -= 2h).empty());
  EXPECT_TRUE(pass(watch, now, 2s).empty());
  EXPECT_EQ(pass(watch, now, 2s).size(), 1u);
}

TEST(MarkingWatch, GoesOnWhereAnotherCollectorStopped) {
  MarkingWatch watch;
  Timestamp now = began;
  watch.advance(now);
  watch.resume({"north", 1}, 2s, MarkingState::running);
  watch.resume({"south", 1}, 2s, MarkingState::running);
  watch.resume({"east", 1}, 2s, MarkingState::silent);
  EXPECT_TRUE(watch.heard({"south", 1}, WatchedRun{run_of(1)}).empty());
  EXPECT_TRUE(pass(watch, now, 5s).empty());
  watch.heard({"south", 1}, WatchedRun{run_of(1)});
  const auto news = pass(watch, now, 5s);
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].point.name, "north");
  const auto back = watch.heard({"east", 1}, WatchedRun{run_of(1)});
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].sentence, "east reports again");
}

}  // namespace
}  // namespace sojourn
