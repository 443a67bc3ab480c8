// The real program, on the loopback of a network of its own.
#include "pipeline/reference/reference_sending.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Runs `body` where loopback is up and nobody else's; says why if it cannot.
template <class Body>
std::string on_own_loopback(Body body) {
  std::string skipped;
  std::thread{[&] {  // the thread leaves the network
    if (::unshare(CLONE_NEWNET) != 0 || std::system("ip link set lo up") != 0)
      skipped = "no right to have a network of its own";
    else
      body(skipped);
  }}
      .join();
  return skipped;
}

AttachmentPoint loopback_point() { return {"lo", static_cast<int>(::if_nametoindex("lo")), true}; }

sockaddr_in address_at(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Somebody listens at the port, so that nobody is told that it is closed.
struct Listener {
  explicit Listener(std::uint16_t at)
      : port(at), socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    const sockaddr_in own = address_at(port);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  bool hears() const {
    std::array<std::byte, 100> bytes;
    return ::recv(socket.get(), bytes.data(), bytes.size(), 0) > 0;
  }
  /// From itself; whether there is room for it does not matter.
  void is_sent(int datagrams, std::size_t size) const {
    const std::vector<std::byte> bytes(size);
    const sockaddr_in own = address_at(port);
    for (int i = 0; i < datagrams; ++i)
      ::sendto(socket.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&own),
               sizeof own);
  }

  std::uint16_t port;
  UniqueFd socket;
};

/// What the interface has sent before is no load of its link, however much it was.
TEST(ReferenceSending, TheLoadIsWhatWasSentBetweenReferencePackets) {
  const std::string skipped = on_own_loopback([](std::string& why_not) {
    const Listener references{4747}, others{5000};
    others.is_sent(1'000, 32'000);
    ReferenceSendingOptions options;
    options.to = {*IpAddress::parse("127.0.0.1"), references.port};
    options.generator.scheme = Injection::adaptive;
    options.generator.smoothing = 1;  // the load since the last one alone
    options.generator.capacity_bytes_a_second = 1e6;
    auto sending = ReferenceSending::open(loopback_point(), options);
    if (!sending) {
      why_not = sending.error().message;
      return;
    }
    std::atomic<bool> stop{false};
    std::thread sender = sending->start(stop);
    EXPECT_TRUE(references.hears());
    // Less than a thousand bytes in more than these milliseconds are 5 % of the link.  With the 32
    // million from before the link would have to be watched for half a minute to seem free.
    std::this_thread::sleep_for(20ms);
    others.is_sent(10, 10);
    EXPECT_TRUE(references.hears());
    stop = true;
    sender.join();
    const ReferenceSendingCounters counters = sending->counters();
    EXPECT_EQ(counters.packets, 10u);
    EXPECT_EQ(counters.references, 2u);
    EXPECT_EQ(counters.unsent, 0u);
    EXPECT_EQ(counters.refusal, 0);
    EXPECT_GT(counters.utilisation, 0);
    EXPECT_LT(counters.utilisation, 1);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(ReferenceSending, TellsWhyTheKernelDidNotTakeAPacket) {
  const std::string skipped = on_own_loopback([](std::string& why_not) {
    ReferenceSendingOptions options;
    options.to.address = *IpAddress::parse("127.0.0.1");
    auto sending = ReferenceSending::open(loopback_point(), options);
    if (!sending) {
      why_not = sending.error().message;
      return;
    }
    ASSERT_EQ(std::system("ip link set lo down"), 0);
    const std::atomic<bool> stop{true};
    sending->start(stop).join();  // the first packet is sent before anybody asks whether to stop
    const ReferenceSendingCounters counters = sending->counters();
    EXPECT_EQ(counters.references, 0u);
    EXPECT_EQ(counters.unsent, 1u);
    EXPECT_EQ(counters.refusal, ENETUNREACH) << std::strerror(counters.refusal);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace sojourn
