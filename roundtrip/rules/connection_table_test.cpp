#include "roundtrip/rules/connection_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace sojourn {
namespace {

struct alignas(64) Record {
  std::uint64_t flow;
  Timestamp last_seen;
  std::uint64_t value;
};

constexpr Duration idle{1000};
Timestamp at(std::int64_t ns) { return timestamp_from_ns(ns); }

/// Flows differ in more than the last bit, which the table takes for itself.
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
    if (i % 3 == 0) key |= 0xfff0'0000'0000'0000u;  // crowds at the end, so that probes wrap
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
  ConnectionTable<Record> table{idle, 1024};
  std::mt19937_64 random{2};
  const std::uint64_t lasting = flow(random);
  for (std::int64_t now = 0; now < 500'000; now += 10) {  // a hundred flows are active at a time
    table.at(flow(random), at(now));
    Record& record = table.at(lasting, at(now));
    record.last_seen = at(now);
    ++record.value;
  }
  EXPECT_EQ(table.find(lasting)->value, 50'000u);
  EXPECT_LE(table.memory_bytes(), 2 * 1024 * sizeof(Record));  // old and new during a sweep
}

TEST(ConnectionTable, TimeThatStepsBackDropsNothing) {
  ConnectionTable<Record> table{idle, 16};
  std::mt19937_64 random{3};
  const std::uint64_t first = flow(random);
  table.at(first, at(1'000'000)).value = 1;
  for (int i = 0; i < 1000; ++i) table.at(flow(random), at(0));
  EXPECT_NE(table.find(first), nullptr);
}

}  // namespace
}  // namespace sojourn
