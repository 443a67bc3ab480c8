#include "oneway/flow_table.h"

#include <gtest/gtest.h>

#include <random>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

std::uint64_t hash_of(std::uint32_t flow) { return test_packet(flow, {}).flow; }

TEST(FlowTable, FindsEachFlowAgain) {
  FlowTable<int> table{1 << 20};
  std::mt19937 random{5};
  std::vector<int> counts(4000);
  for (int i = 0; i < 100'000; ++i) {
    const auto flow = static_cast<std::uint32_t>(random() % 4000);
    ++counts[flow];
    const std::uint32_t number = table.find_or_add(test_flow_key(flow), hash_of(flow));
    ASSERT_NE(number, FlowTable<int>::none);
    ++table[number];
  }
  EXPECT_EQ(table.entries().size(), 4000u);
  for (std::uint32_t flow = 0; flow < 4000; ++flow)
    EXPECT_EQ(table[table.find_or_add(test_flow_key(flow), hash_of(flow))], counts[flow]);
}

TEST(FlowTable, KeysTellFlowsOfOneHashApart) {
  FlowTable<int> table{4096};
  const std::uint32_t one = table.find_or_add(test_flow_key(1), 99),
                      two = table.find_or_add(test_flow_key(2), 99);
  EXPECT_NE(one, two);
  EXPECT_EQ(table.find_or_add(test_flow_key(2), 99), two);
}

TEST(FlowTable, IsFullAtItsMemory) {
  for (const std::size_t memory :
       {std::size_t{1}, std::size_t{1000}, std::size_t{100'000}, std::size_t{3 << 20}}) {
    FlowTable<int> table{memory};
    EXPECT_TRUE(memory < 1000 || table.memory_bytes() <= memory) << memory;
    EXPECT_TRUE(memory < 100'000 || table.memory_bytes() * 10 >= memory * 7) << memory;
    std::uint32_t room = 0, number = 0;
    while ((number = table.find_or_add(test_flow_key(room), hash_of(room))) == room) ++room;
    EXPECT_EQ(number, FlowTable<int>::none);
    EXPECT_GT(room, 0u);
    EXPECT_EQ(table.entries().size(), room);
    EXPECT_EQ(table.find_or_add(test_flow_key(0), hash_of(0)), 0u);  // the known ones stay
  }
}

}  // namespace
}  // namespace sojourn
