#include "roundtrip/rules/asked_before.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sojourn {
namespace {

Timestamp at_s(double s) {
  return timestamp_from_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(s * 1e9));
}

TEST(AskedBefore, KnowsWhatWasNotAnswered) {
  AskedBefore asked{4096};
  EXPECT_FALSE(asked.ask(42, at_s(0)));
  EXPECT_TRUE(asked.ask(42, at_s(1)));
  EXPECT_FALSE(asked.ask(44, at_s(1)));
  asked.answer(42);
  EXPECT_FALSE(asked.ask(42, at_s(2)));
  EXPECT_TRUE(asked.ask(44, at_s(2)));
}

TEST(AskedBefore, ForTwoMinutesSinceTheLastTime) {
  AskedBefore asked{4096};
  EXPECT_FALSE(asked.ask(42, at_s(0)));
  EXPECT_TRUE(asked.ask(42, at_s(119)));
  EXPECT_TRUE(asked.ask(42, at_s(238)));
  EXPECT_FALSE(asked.ask(42, at_s(360)));
  EXPECT_FALSE(asked.ask(42, at_s(300)));  // the clock stepped back
}

TEST(AskedBefore, KeepsEightInALineAndForgetsTheOldest) {
  AskedBefore asked{64};
  EXPECT_EQ(asked.memory_bytes(), 64u);
  for (std::uint64_t key = 0; key < 8; ++key)
    EXPECT_FALSE(asked.ask(key << 8, at_s(static_cast<double>(10 - key))));
  EXPECT_FALSE(asked.ask(99 << 8, at_s(20)));  // takes the place of the seventh, the oldest
  for (std::uint64_t key = 0; key < 7; ++key) EXPECT_TRUE(asked.ask(key << 8, at_s(20))) << key;
  EXPECT_TRUE(asked.ask(99 << 8, at_s(20)));
  asked.answer(3 << 8);
  EXPECT_FALSE(asked.ask(7 << 8, at_s(21)));  // in the free place
  for (const std::uint64_t key : {0u, 1u, 2u, 4u, 5u, 6u, 99u})
    EXPECT_TRUE(asked.ask(key << 8, at_s(22))) << key;
}

TEST(AskedBefore, KnowsNothingWithoutMemory) {
  AskedBefore asked{63};
  EXPECT_EQ(asked.memory_bytes(), 0u);
  EXPECT_FALSE(asked.ask(42, at_s(0)));
  asked.answer(42);
  EXPECT_FALSE(asked.ask(42, at_s(1)));
}

TEST(AskedBefore, UsesAllOfItsMemory) {
  AskedBefore asked{std::size_t{1} << 16};
  EXPECT_EQ(asked.memory_bytes(), std::size_t{1} << 16);
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> keys(2048);  // a quarter of the places
  for (std::uint64_t& key : keys) EXPECT_FALSE(asked.ask(key = random(), at_s(0)));
  int known = 0;
  for (const std::uint64_t key : keys) known += asked.ask(key, at_s(1));
  EXPECT_GT(known, 2040);
}

}  // namespace
}  // namespace sojourn
