// The real program, on the loopback of a network of its own.
#include "pipeline/reference/reference_observing.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

void send_datagrams(int count) {
  const UniqueFd from{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; ++i)
    ::sendto(from.get(), &i, sizeof i, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

/// What three intervals count, of which the last is empty.
void observe(std::vector<ReferenceInterval>& intervals, std::string& skipped) {
  if (::unshare(CLONE_NEWNET) != 0 || std::system("ip link set lo up") != 0) {
    skipped = "no right to have a network of its own";
    return;
  }
  auto observing =
      ReferenceObserving::open({"lo", static_cast<int>(::if_nametoindex("lo")), true}, {});
  if (!observing) {
    skipped = observing.error().message;
    return;
  }
  bool begun = false;
  observing->run(
      50ms,
      [&] {
        if (!std::exchange(begun, true)) send_datagrams(100);
        return intervals.size() == 2;
      },
      [&](const ReferenceInterval& interval) {
        intervals.push_back(interval);
        if (intervals.size() == 1) send_datagrams(30);
      });
}

TEST(ReferenceObserving, AnIntervalCountsWhatCameMeanwhile) {
  std::vector<ReferenceInterval> intervals;
  std::string skipped;
  std::thread{[&] { observe(intervals, skipped); }}.join();  // the thread leaves the network
  if (!skipped.empty()) GTEST_SKIP() << skipped;
  ASSERT_EQ(intervals.size(), 3u);
  // The kernel answers that the port is closed, by ICMP: at most as many more, and not for each.
  // No reference packet ever comes.
  for (const ReferenceInterval& interval : intervals) ASSERT_TRUE(interval.seen);
  const std::array<std::uint64_t, 3> seen = {intervals[0].seen->before_first,
                                             intervals[1].seen->before_first,
                                             intervals[2].seen->before_first};
  EXPECT_GE(seen[0], 100u);
  EXPECT_GE(seen[1], 30u);
  EXPECT_LE(seen[1], 60u);
  EXPECT_EQ(seen[2], 0u);
  EXPECT_GE(intervals[0].packets(), 100u);
  EXPECT_LE(intervals[0].end, intervals[1].begin);
  EXPECT_LT(intervals[1].begin, intervals[1].end);
}

}  // namespace
}  // namespace sojourn
