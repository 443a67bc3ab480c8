#include "tests/testbed/send_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn::testbed {
namespace {

using namespace std::chrono_literals;

bool push(SendQueue& queue, std::byte content, Duration leaves) {
  const std::array frame = {content};
  return queue.push(frame, 0, Timestamp{}, Timestamp{} + leaves, Fate::forwarded);
}

std::vector<int> drain(SendQueue& queue) {
  std::vector<int> order;
  for (; !queue.empty(); queue.pop()) order.push_back(static_cast<int>(queue.next().bytes()[0]));
  return order;
}

TEST(SendQueue, TheEarliestLeavesFirstAndEqualTimesKeepTheirOrder) {
  SendQueue queue{8};
  for (int i = 0; i < 4; ++i) push(queue, std::byte(i), 2ms);
  push(queue, std::byte{9}, 1ms);
  EXPECT_EQ(queue.next_time(), Timestamp{} + 1ms);
  EXPECT_EQ(drain(queue), (std::vector{9, 0, 1, 2, 3}));
}

TEST(SendQueue, RefusesWhatHasNoRoomAndReusesSlots) {
  SendQueue queue{2};
  EXPECT_TRUE(push(queue, std::byte{1}, 1ms));
  EXPECT_TRUE(push(queue, std::byte{2}, 2ms));
  EXPECT_FALSE(push(queue, std::byte{3}, 3ms));
  queue.pop();
  EXPECT_TRUE(push(queue, std::byte{4}, 4ms));
  EXPECT_EQ(drain(queue), (std::vector{2, 4}));

  const std::vector<std::byte> jumbo(longest_frame + 1);
  EXPECT_FALSE(queue.push(jumbo, 0, Timestamp{}, Timestamp{}, Fate::forwarded));
}

}  // namespace
}  // namespace sojourn::testbed
