// The real programs, on the loopback of a network of its own.
#include "pipeline/point/kernel_point.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace sojourn {
namespace {

constexpr std::size_t datagrams = 8'000;

bool send_datagrams() {
  const UniqueFd from{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (std::size_t i = 0; i < datagrams; ++i)
    if (::sendto(from.get(), &i, sizeof i, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) <
        0)
      return false;
  return true;
}

/// How often the thread slept of its own will.
long naps() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

/// Round trips that nobody makes must not slow down the packets: with 5 ms of sleep for a batch of
/// 256, a point read 51 000 packets a second, and lost the others.
void read_all_without_a_nap(std::string& skipped) {
  if (::unshare(CLONE_NEWNET) != 0 || std::system("ip link set lo up") != 0) {
    skipped = "no right to have a network of its own";
    return;
  }
  KernelPointOptions options{.interface = "lo", .oneway = {}};
  options.oneway.sampling = 1;
  options.rtt = KernelRttOptions{.rtt = {}, .interfaces = {"lo"}};
  auto point = KernelPoint::open(options);
  if (!point) {
    skipped = point.error().message;
    return;
  }
  ASSERT_TRUE(send_datagrams());
  std::vector<Packet> batch(256);
  std::size_t read = 0, full = 0;
  const long before = naps();
  long slept = 0;
  for (int tries = 0; tries < 1'000 && read < datagrams; ++tries) {
    const std::size_t count = (*point)->next(batch).count;
    read += count;
    full += count == batch.size();
    if (count == batch.size()) slept = naps() - before;
  }
  EXPECT_GE(read, datagrams);
  EXPECT_GE(full, 24u);
  EXPECT_LE(slept, 6) << "in " << full << " batches";
}

TEST(KernelPoint, DoesNotSleepWhilePacketsWait) {
  std::string skipped;
  std::thread{[&] { read_all_without_a_nap(skipped); }}.join();  // the thread leaves the network
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace sojourn
