#include "roundtrip/tables/staged_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start{1'700'000'000s};

template <class Table>
class StagedTableTest : public testing::Test {};
using Layouts = testing::Types<BasicStagedTable<StageLayout::independent_hashes>,
                               BasicStagedTable<StageLayout::one_cache_line>>;
TYPED_TEST_SUITE(StagedTableTest, Layouts);

TYPED_TEST(StagedTableTest, GivesTheDelayToTheNanosecondOnce) {
  TypeParam table{{.memory_bytes = 1024}};
  EXPECT_EQ(table.request(7, start, 0), Admission::stored);
  EXPECT_FALSE(table.response(8, start + 1ns));
  const auto match = table.response(7, start + 123'456'789ns);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->delay, 123'456'789ns);
  EXPECT_EQ(match->weight, 1);
  EXPECT_FALSE(match->ambiguous);
  EXPECT_FALSE(table.response(7, start + 2s));
}

TYPED_TEST(StagedTableTest, KeepsTheFirstCopyAndSaysIfThatIsAmbiguous) {
  TypeParam table{{.memory_bytes = 1024}};
  table.request(7, start, 0);
  EXPECT_EQ(table.request(7, start + 1s, 0), Admission::repeated);
  EXPECT_EQ(table.response(7, start + 2s)->delay, 2s);
  table.request(9, start, repeat_is_ambiguous);
  table.request(9, start + 1s, repeat_is_ambiguous);
  const auto match = table.response(9, start + 2s);
  EXPECT_EQ(match->delay, 2s);
  EXPECT_TRUE(match->ambiguous);
}

TYPED_TEST(StagedTableTest, ForgetsAfterItsTimeButKeepsTheLongLived) {
  TypeParam table{{.memory_bytes = 1024, .patience = {.expire = 1s, .expire_long_lived = 10s}}};
  table.request(7, start, 0);
  table.request(8, start, long_lived);
  EXPECT_FALSE(table.response(7, start + 1s + 1ns));
  EXPECT_TRUE(table.response(8, start + 10s));
}

TYPED_TEST(StagedTableTest, RefusesWhenAllStagesAreTakenUntilTheyExpire) {
  TypeParam table{{.memory_bytes = 64, .patience = {.expire = 1s}}};  // four slots
  std::mt19937_64 random{1};
  int stored = 0;
  for (int i = 0; i < 100; ++i) stored += table.request(random(), start, 0) == Admission::stored;
  EXPECT_EQ(stored, 4);
  EXPECT_EQ(table.refused(), 96u);
  EXPECT_EQ(table.request(random(), start + 1s + 1ns, 0), Admission::stored);
}

TYPED_TEST(StagedTableTest, SurvivesAbsurdTimes) {
  TypeParam table{{.memory_bytes = 1024}};
  table.request(1, Timestamp::min(), 0);
  EXPECT_FALSE(table.response(1, Timestamp::max()));
  table.request(1, Timestamp::max(), 0);
  EXPECT_TRUE(table.response(1, Timestamp::min()));  // a clock that steps back gives what it gives
}

// Whatever it finds, a map that forgets nothing also finds, with the same delay.
TYPED_TEST(StagedTableTest, AgreesWithAMapWhereItHasAnAnswer) {
  TypeParam table{{.memory_bytes = 4096, .patience = {.expire = 1h}}};
  std::unordered_map<std::uint64_t, Timestamp> map;
  std::mt19937_64 random{5};
  std::vector<std::uint64_t> keys(600);
  for (auto& key : keys) key = random();
  Timestamp now = start;
  int found = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = keys[random() % keys.size()];
    now += 1us;
    if (random() % 2) {
      const Admission admission = table.request(key, now, 0);
      if (admission == Admission::stored) map[key] = now;
      EXPECT_EQ(admission == Admission::repeated,
                admission != Admission::no_room && map.at(key) != now);
    } else if (const auto match = table.response(key, now)) {
      ASSERT_TRUE(map.contains(key));
      EXPECT_EQ(match->delay, now - map[key]);
      map.erase(key);
      ++found;
    } else {
      EXPECT_FALSE(map.contains(key));  // what was stored is found
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(StagedTable, FourIndependentStagesUseTheMemoryBetterThanOne) {
  std::mt19937_64 random{3};
  const auto stored = [&](unsigned stages) {
    StagedTable table{{.memory_bytes = 16 * 4096, .stages = stages}};
    int count = 0;
    for (int i = 0; i < 4096; ++i) count += table.request(random(), start, 0) == Admission::stored;
    return count;
  };
  const int one = stored(1), four = stored(4);
  EXPECT_NEAR(one, 4096 * 0.632, 100);  // 1 - 1/e
  EXPECT_GT(four, 4096 * 0.80);
}

}  // namespace
}  // namespace sojourn
