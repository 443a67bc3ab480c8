#include "roundtrip/tables/fridge_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "roundtrip/tables/fridges_table.h"
#include "roundtrip/test_bias.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start{1'700'000'000s};

TEST(FridgeTable, WeighsByTheArrivalsThatThePairSurvived) {
  FridgeTable table{{.memory_bytes = 16 * 1000}};
  std::mt19937_64 random{1};
  const std::uint64_t key = 42;  // slot 0
  table.request(key, start, 0);
  for (int i = 0; i < 700; ++i) table.request(random() | std::uint64_t{1} << 63, start, 0);
  const auto match = table.response(key, start + 5ms);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->delay, 5ms);
  EXPECT_NEAR(match->weight, std::pow(1 - 1.0 / 1000, -700), 1e-7);
}

TEST(FridgeTable, DoesNotCountTheRequestItself) {
  FridgeTable table{
      {.memory_bytes = 16 * 2}};  // two slots: one arrival too many doubles the weight
  table.request(42, start, 0);
  EXPECT_EQ(table.response(42, start)->weight, 1);
}

/// Wraps every 1024 arrivals.
struct ShortCounter : CountArrivals {
  static constexpr int slot_bits = 10;
};

TEST(FridgeTable, TheCounterMayWrap) {
  BasicFridgeTable<ShortCounter> table{{.memory_bytes = 16 * 16}};
  for (std::uint64_t round = 1; round < 1000; ++round) {
    const std::uint64_t key = round;  // slot 0; the others go to the last one
    table.request(key, start, 0);
    for (std::uint64_t i = 0; i < 37; ++i) table.request(~(round * 64 + i), start, 0);
    const auto match = table.response(key, start);
    ASSERT_TRUE(match) << round;
    ASSERT_NEAR(match->weight / std::pow(1 - 1.0 / 16, -37), 1, 1e-7) << round;
  }
}

TEST(FridgeTable, CoarseUnitsChangeTheWeightLittle) {
  // 32 lives of 64 * 64 arrivals need 17 bits: with ten, a unit is 128 arrivals, 1/32 of a life.
  BasicFridgeTable<ShortCounter> table{{.memory_bytes = 16 * 64, .entry_probability = 1.0 / 64}};
  std::uint64_t key = 1;
  while (table.request(key, start, 0) != Admission::stored) ++key;
  for (std::uint64_t i = 0; i < 4096; ++i) table.request(~i, start, 0);
  EXPECT_NEAR(table.response(key, start)->weight / (64 * std::exp(1.0)), 1, 1.0 / 32);
}

TEST(FridgeTable, DropsAndCountsWhatSurvivedAgainstAllOdds) {
  FridgeTable table{{.memory_bytes = 16 * 2}};
  table.request(42, start, 0);  // slot 0; all others go to slot 1
  for (std::uint64_t i = 0; i < 24; ++i) table.request(~std::uint64_t{0} - i, start, 0);
  EXPECT_FALSE(table.response(42, start));  // 24 ln 2 = 16.6 lives
  EXPECT_EQ(table.too_old(), 1u);
}

TEST(FridgeTable, ARepeatMeetsTheDecisionOfItsFirstCopy) {
  FridgeTable table{{.memory_bytes = 1 << 20, .entry_probability = 0.25}};
  std::mt19937_64 random{1};
  int entered = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t key = random();
    const Admission first = table.request(key, start, repeat_is_ambiguous);
    const Admission second = table.request(key, start + 1s, repeat_is_ambiguous);
    EXPECT_EQ(second, first == Admission::stored ? Admission::repeated : Admission::by_chance);
    const auto match = table.response(key, start + 2s);
    ASSERT_EQ(match.has_value(), first == Admission::stored);
    if (!match) continue;
    ++entered;
    EXPECT_EQ(match->delay, 2s);
    EXPECT_TRUE(match->ambiguous);
  }
  EXPECT_NEAR(entered, 1000, 6 * std::sqrt(750));
}

// The same pairs as in the exact table: a response after the expiry matches nothing.
template <class Table>
class FridgeExpiry : public testing::Test {};
using AnyFridge = testing::Types<FridgeTable, FridgesTable>;
TYPED_TEST_SUITE(FridgeExpiry, AnyFridge);

TYPED_TEST(FridgeExpiry, IsThatOfTheExactTable) {
  TypeParam table{{.memory_bytes = 1 << 20, .patience = {.expire = 1s, .expire_long_lived = 10s}}};
  const std::array<std::uint64_t, 4> keys = {1ull << 60, 2ull << 60, 3ull << 60, 4ull << 60};
  for (const std::uint64_t key : keys) table.request(key, start, key == keys[3] ? long_lived : 0);
  EXPECT_TRUE(table.response(keys[0], start + 1s));
  EXPECT_FALSE(table.response(keys[1], start + 1s + 1ns));
  EXPECT_EQ(table.request(keys[2], start + 2s, repeat_is_ambiguous), Admission::stored);
  const auto match = table.response(keys[2], start + 3s);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->delay, 1s);
  EXPECT_FALSE(match->ambiguous);
  EXPECT_TRUE(table.response(keys[3], start + 10s));
}

TEST(FridgeTable, SurvivesAbsurdTimes) {
  FridgeTable fridge{{.memory_bytes = 1024}};
  FridgesTable fridges{{.memory_bytes = 1024}};
  std::mt19937_64 random{1};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t key = random() % 64 * 0x9e3779b97f4a7c15u;
    const Timestamp time{Duration{static_cast<std::int64_t>(random())}};
    if (random() % 2) {
      fridge.request(key, time, 0);
      fridges.request(key, time, 0);
    } else {
      if (const auto match = fridge.response(key, time)) {
        EXPECT_GE(match->weight, 1);
      }
      if (const auto match = fridges.response(key, time)) {
        EXPECT_GE(match->weight, 1);
      }
    }
  }
}

TEST(FridgesTable, WeighsOneWhenThereIsRoomForAll) {
  FridgesTable table{{.memory_bytes = 64 << 20}};
  table.request(42, start, 0);
  const auto match = table.response(42, start + 1s);
  ASSERT_TRUE(match);
  EXPECT_NEAR(match->weight, 1, 1e-6);
}

TEST(FridgesTable, TheEntryProbabilityIsTheOneAskedFor) {
  for (const unsigned fridges : {1u, 2u, 4u, 8u}) {
    FridgesTable table{{.memory_bytes = 1 << 20, .fridges = fridges, .entry_probability = 0.125}};
    EXPECT_NEAR(table.entry_probability(), 0.125, 1e-5);
    std::mt19937_64 random{1};
    int stored = 0;
    for (int i = 0; i < 80'000; ++i)
      stored += table.request(random(), start, 0) == Admission::stored;
    EXPECT_NEAR(stored, 10'000, 6 * std::sqrt(80'000 * 0.125 * 0.875)) << fridges << " fridges";
  }
}

// FRIDGE section 3.3: on average M/p = requests in the longest delay.
TEST(FridgesTable, TunesItselfToTheRate) {
  FridgesTable table{{.memory_bytes = 16 << 10, .fridges = 1, .longest = 1s}};
  std::mt19937_64 random{1};
  EXPECT_NEAR(table.entry_probability(), 1, 1e-6);
  Timestamp now = start;
  const auto run = [&](int requests, Duration gap) {
    for (int i = 0; i < requests; ++i) table.request(random(), now += gap, 0);
    return table.entry_probability();
  };
  const double slots = 1024;
  EXPECT_NEAR(std::log2(run(300'000, 10us) / (slots / 100'000)), 0, 0.5);
  EXPECT_NEAR(std::log2(run(3'000'000, 1us) / (slots / 1'000'000)), 0, 0.5);
  EXPECT_NEAR(std::log2(run(300'000, 10us) / (slots / 100'000)), 0, 0.5);
  EXPECT_NEAR(run(2000, 10ms), 1, 1e-6);
  now -= 1h;  // a stepped clock changes nothing for long
  EXPECT_NEAR(std::log2(run(300'000, 10us) / (slots / 100'000)), 0, 0.5);
}

}  // namespace
}  // namespace sojourn
