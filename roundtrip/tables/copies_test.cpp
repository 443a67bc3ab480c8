// A copy of an earlier request: no table counts it as a request itself.

#include <gtest/gtest.h>

#include "roundtrip/table_batch.h"
#include "roundtrip/tables/exact_table.h"
#include "roundtrip/tables/fridge_table.h"
#include "roundtrip/tables/fridges_table.h"
#include "roundtrip/tables/leased_table.h"
#include "roundtrip/tables/staged_table.h"
#include "roundtrip/tailored/tailored_table.h"

namespace sojourn {
namespace {

constexpr std::size_t memory = 1 << 16;
constexpr std::uint8_t copy = repeat_is_ambiguous | is_copy;

template <class Table>
Table make() {
  if constexpr (std::is_same_v<Table, ExactTable>)
    return Table{{.initial_slots = 16}};
  else if constexpr (std::is_same_v<Table, FridgeTable>)
    return Table{{.memory_bytes = memory, .entry_probability = 1}};
  else
    return Table{{.memory_bytes = memory}};
}

Timestamp at_s(double s) { return timestamp_from_ns(static_cast<std::int64_t>(s * 1e9)); }

template <class Table>
class Copies : public testing::Test {};
using AllTables =
    testing::Types<ExactTable, StagedTable, FridgeTable, FridgesTable, LeasedTable, TailoredTable>;
TYPED_TEST_SUITE(Copies, AllTables);

TYPED_TEST(Copies, WithoutAFirstOneWaitForNothing) {
  auto table = make<TypeParam>();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const std::uint64_t key = i * 0x9e3779b97f4a7c15u;
    EXPECT_EQ(table.request(key, at_s(1), copy), Admission::repeated);
    EXPECT_FALSE(table.response(key, at_s(1.001)));
  }
}

TYPED_TEST(Copies, AfterExpiryGiveNoSample) {
  auto table = make<TypeParam>();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const std::uint64_t key = i * 0x9e3779b97f4a7c15u;
    table.request(key, at_s(1), repeat_is_ambiguous);
    EXPECT_EQ(table.request(key, at_s(12), copy), Admission::repeated);
    EXPECT_FALSE(table.response(key, at_s(12.1)));
  }
}

TYPED_TEST(Copies, OfOneThatWaitsMakeItAmbiguous) {
  auto table = make<TypeParam>();
  int found = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const std::uint64_t key = i * 0x9e3779b97f4a7c15u;
    table.request(key, at_s(1), repeat_is_ambiguous);
    EXPECT_EQ(table.request(key, at_s(1.001), copy), Admission::repeated);
    if (const auto match = table.response(key, at_s(1.002))) {
      EXPECT_TRUE(match->ambiguous);
      ++found;
    }
  }
  EXPECT_GT(found, 50);
}

TYPED_TEST(Copies, AreNotCountedAsRequests) {
  auto table = make<TypeParam>();
  BatchOutcome outcome;
  const std::uint64_t key = 0x9e3779b97f4a7c15u;
  const std::array events{PairEvent{key, at_s(1), 0, {}, Kind::icmp, Leg::server, true, copy},
                          PairEvent{key, at_s(2), 1, {}, Kind::icmp, Leg::server, false, 0}};
  apply_batch(table, events, outcome);
  EXPECT_EQ(outcome.requests(Kind::icmp), 0u);
  EXPECT_TRUE(outcome.matches().empty());
}

}  // namespace
}  // namespace sojourn
