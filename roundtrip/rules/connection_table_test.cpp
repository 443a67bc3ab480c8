#include "roundtrip/rules/connection_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace sojourn {
namespace {

struct alignas(64) Record {
  std::uint64_t flow;
  Timestamp last_seen;
  std::uint64_t value;
  static constexpr bool may_be_forgotten = true;
};
struct alignas(64) Keeper : Record {
  static constexpr bool may_be_forgotten = false;
};

constexpr Duration idle{1000};
Timestamp at(std::int64_t ns) { return timestamp_from_ns(ns); }

/// Flows differ in more than the last bit, which the table uses itself.
std::uint64_t flow(std::mt19937_64& random) { return random() & ~std::uint64_t{1}; }

TEST(ConnectionTable, NewRecordIsZeroButForItsFlowAndTime) {
  ConnectionTable<Record> table{idle, 16};
  EXPECT_EQ(table.find(42), nullptr);
  Record& record = table.at(42, at(7));
  EXPECT_EQ(record.last_seen, at(7));
  EXPECT_EQ(record.value, 0u);
  record.value = 9;
  EXPECT_EQ(&table.at(42, at(8)), &record);
  EXPECT_EQ(table.find(42)->value, 9u);
  EXPECT_EQ(table.size(), 1u);
}

TEST(ConnectionTable, FlowZeroIsAFlowLikeAnyOther) {
  ConnectionTable<Record> table{idle, 16};
  table.at(0, at(1)).value = 3;
  ASSERT_NE(table.find(0), nullptr);
  EXPECT_EQ(table.find(0)->value, 3u);
}

TEST(ConnectionTable, GrowsAndFindsAllThatIsActive) {
  ConnectionTable<Record> table{idle, 16};
  std::mt19937_64 random{1};
  std::map<std::uint64_t, std::uint64_t> model;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t key = flow(random);
    if (i % 3 == 0) key |= 0xfff0'0000'0000'0000u;  // clusters at the end, so that probes wrap
    table.at(key, at(5)).value = i;
    model[key] = i;
  }
  EXPECT_EQ(table.size(), model.size());
  EXPECT_GE(table.memory_bytes(), 2 * model.size() * sizeof(Record));
  for (const auto& [key, value] : model) {
    ASSERT_NE(table.find(key), nullptr);
    EXPECT_EQ(table.find(key)->value, value);
  }
}

TEST(ConnectionTable, IdleFlowsMakeRoomBeforeTheTableGrows) {
  ConnectionTable<Record> table{idle, 2048};
  std::mt19937_64 random{2};
  const std::uint64_t lasting = flow(random);
  for (std::int64_t now = 0; now < 500'000; now += 10) {  // a hundred flows are active at a time
    table.at(flow(random), at(now));
    Record& record = table.at(lasting, at(now));
    record.last_seen = at(now);
    ++record.value;
  }
  EXPECT_EQ(table.find(lasting)->value, 50'000u);
  EXPECT_LE(table.memory_bytes(), 2 * 2048 * sizeof(Record));  // old and new during a sweep
}

TEST(ConnectionTable, IsEmptierAsLongAsItIsSmall) {
  const auto bytes_for = [](std::size_t flows) {
    ConnectionTable<Record> table{idle, 16};
    std::mt19937_64 random{3};
    for (std::size_t i = 0; i < flows; ++i) table.at(flow(random), at(0));
    return table.memory_bytes();  // of the last sweep: old and new
  };
  EXPECT_EQ(bytes_for(128), (512 + 1024) * sizeof(Record));
  EXPECT_EQ(bytes_for(129), (1024 + 2048) * sizeof(Record));
  constexpr std::size_t large = 2 * huge_page / sizeof(Record);
  EXPECT_EQ(bytes_for(large / 4), (large / 2 + large) * sizeof(Record));
  // A table of exactly one huge page is small.
  EXPECT_EQ(bytes_for(large / 16), (large / 4 + large / 2) * sizeof(Record));
  EXPECT_EQ(bytes_for(large / 16 + 1), (large / 2 + large) * sizeof(Record));
}

TEST(ConnectionTable, IsFullRatherThanGrowBeyondItsLimit) {
  constexpr std::size_t limit = 64 << 10;
  ConnectionTable<Record> table{idle, 16};
  table.limit(limit);
  std::mt19937_64 random{1};
  std::vector<std::uint64_t> flows;
  while (!table.is_full() && flows.size() < 100'000) {
    flows.push_back(flow(random));
    table.at(flows.back(), at(5)).value = flows.size();
  }
  EXPECT_TRUE(table.is_full());
  EXPECT_LE(table.memory_bytes(), limit);
  EXPECT_GT(flows.size(), limit / sizeof(Record) / 16);
  for (std::size_t i = 0; i < 128; ++i)
    flows.push_back(flow(random)), table.at(flows.back(), at(5)).value = flows.size();
  EXPECT_LE(table.memory_bytes(), limit);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_NE(table.find(flows[i]), nullptr);
    EXPECT_EQ(table.find(flows[i])->value, i + 1);
  }
}

// Searches end at a free record: one has to stay free however many flows come.
TEST(ConnectionTable, AFullOneHasAFreeRecord) {
  ConnectionTable<Record> table{idle, 16};
  table.limit(64 << 10);
  std::mt19937_64 random{1};
  const std::size_t many = 4 * (64 << 10) / sizeof(Record);
  for (std::size_t i = 0; i < many; ++i) table.at(flow(random), at(5)).value = i;
  EXPECT_TRUE(table.is_full());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(table.find(flow(random)), nullptr);
}

TEST(ConnectionTable, IsNotFullAsLongAsFlowsGoIdle) {
  ConnectionTable<Record> table{idle, 16};
  table.limit(64 << 10);
  std::mt19937_64 random{1};
  for (std::int64_t i = 0; i < 100'000; ++i) table.at(flow(random), at(10 * i));
  EXPECT_FALSE(table.is_full());
}

TEST(ConnectionTable, TimeThatStepsBackDropsNothing) {
  ConnectionTable<Record> table{idle, 16};
  std::mt19937_64 random{3};
  const std::uint64_t first = flow(random);
  table.at(first, at(1'000'000)).value = 1;
  for (int i = 0; i < 1000; ++i) table.at(flow(random), at(0));
  EXPECT_NE(table.find(first), nullptr);
}

TEST(ConnectionTable, FixedMemoryForgetsWhoHasBeenSilentLongest) {
  ConnectionTable<Record> table{idle, 1024, 64, Duration{100}};
  EXPECT_EQ(table.memory_bytes(), 64 * sizeof(Record));
  std::mt19937_64 random{4};
  const std::uint64_t lasting = flow(random);
  for (std::int64_t now = 0; now < 10'000; ++now) {
    table.at(flow(random), at(now));
    Record& record = table.at(lasting, at(now));
    record.last_seen = at(now);
    ++record.value;
  }
  EXPECT_EQ(table.find(lasting)->value, 10'000u);
  EXPECT_EQ(table.memory_bytes(), 64 * sizeof(Record));
  EXPECT_LE(table.size(), 64u);
  EXPECT_GT(table.without_room(), 5'000u);  // most were active within the last 100 ns
}

TEST(ConnectionTable, FixedMemoryCountsNobodyWhoHasLongBeenSilent) {
  ConnectionTable<Record> table{idle, 1024, 64, Duration{100}};
  std::mt19937_64 random{5};
  for (std::int64_t now = 0; now < 1'000'000; now += 1000) table.at(flow(random), at(now));
  EXPECT_EQ(table.without_room(), 0u);
}

/// No flow is displaced by hash collisions unless the table is nearly full.
TEST(ConnectionTable, FixedMemoryRemembersWhatFits) {
  constexpr std::size_t most = 12'288, flows = 8'000;
  ConnectionTable<Record> table{idle, 1024, most, Duration{1'000'000}};
  std::mt19937_64 random{7};
  std::vector<std::uint64_t> known(flows);
  for (std::uint64_t& one : known) one = flow(random);
  for (std::int64_t round = 0; round < 20; ++round)
    for (const std::uint64_t one : known) {
      Record& record = table.at(one, at(round));
      record.last_seen = at(round);
      ++record.value;
    }
  // Buckets hold 8 and get 5.2 on average (Poisson): 4 % of flows are in one that overflows.
  EXPECT_LT(table.without_room(), 20 * flows / 10);
  const auto whole = std::ranges::count_if(
      known, [&](std::uint64_t one) { return table.find(one) && table.find(one)->value == 20; });
  EXPECT_GT(whole, static_cast<std::ptrdiff_t>(flows * 90 / 100));
}

/// For any sequence of flows: a record found belongs to the requested flow, and is found again.
TEST(ConnectionTable, FixedMemoryMixesNobodyUp) {
  ConnectionTable<Record> table{idle, 1024, 64, Duration{100}};
  std::mt19937_64 random{8};
  std::vector<std::uint64_t> flows(200);
  for (std::uint64_t& one : flows) one = flow(random);
  for (std::int64_t now = 0; now < 100'000; ++now) {
    const std::uint64_t one = flows[random() % flows.size()];
    Record& record = table.at(one, at(now));
    ASSERT_TRUE(record.value == 0 || record.value == one);
    record.value = one;
    record.last_seen = at(now);
    ASSERT_EQ(table.find(one), &record);
    ASSERT_LE(table.size(), 64u);
  }
}

/// Records that must not be replaced stay, and new flows are not remembered.
TEST(ConnectionTable, FixedMemoryKeepsWhatIsInUseIfItMust) {
  ConnectionTable<Keeper> table{idle, 1024, 8, Duration{100}};
  std::mt19937_64 random{6};
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 100; ++i) {
    first.push_back(flow(random));
    table.at(first.back(), at(i)).value = 7;
  }
  const auto kept =
      std::ranges::count_if(first, [&](std::uint64_t one) { return table.find(one) != nullptr; });
  EXPECT_EQ(kept, 8);
  EXPECT_EQ(table.without_room(), 92u);
  EXPECT_EQ(table.at(flow(random), at(50)).value, 0u);
  EXPECT_EQ(table.size(), 8u);
  table.at(first.back(), at(1000)).value = 8;  // all have been idle by now
  ASSERT_NE(table.find(first.back()), nullptr);
  EXPECT_EQ(table.find(first.back())->value, 8u);
}

}  // namespace
}  // namespace sojourn
