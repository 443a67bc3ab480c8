#include "pipeline/kernel_rtt.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "wire/test_packets.h"

namespace sojourn {
namespace {

std::size_t taken_with(std::size_t memory_bytes, bool histograms) {
  KernelRttOptions options;
  options.memory_bytes = memory_bytes;
  options.histograms = histograms;
  const DataplaneOptions dataplane = dataplane_options(options);
  return program_bytes(make_config(dataplane), dataplane.ring_bytes,
                       static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_CONF)));
}

TEST(KernelRtt, TakesNoMoreMemoryThanItIsGiven) {
  for (std::size_t kibibytes = 64; kibibytes <= 8192; kibibytes += 4) {
    EXPECT_LE(taken_with(kibibytes << 10, false), kibibytes << 10) << kibibytes << " KiB";
    if (kibibytes >= 4096) {
      EXPECT_LE(taken_with(kibibytes << 10, true), kibibytes << 10) << kibibytes << " KiB";
    }
  }
}

/// A bound that is kept by taking nothing would be of no use.
TEST(KernelRtt, UsesMostOfTheMemoryThatItIsGiven) {
  for (std::size_t kibibytes = 64; kibibytes <= 8192; kibibytes += 4)
    EXPECT_GE(taken_with(kibibytes << 10, false), kibibytes << 9) << kibibytes << " KiB";
}

/// Runs `body` in a network of its own, after `command` has set it up; says why if it cannot.
template <class Body>
std::string in_network(const char* command, Body body) {
  std::string skipped;
  std::thread{[&] {  // the thread leaves the network
    if (::unshare(CLONE_NEWNET) != 0 || std::system(command) != 0)
      skipped = "no right to have a network of its own, or no such devices";
    else
      body(skipped);
  }}
      .join();
  return skipped;
}

/// The fewer kinds, the sooner the kernel has verified the program.
KernelRttOptions of_queries(std::vector<std::string> interfaces) {
  KernelRttOptions options;
  options.rtt.kinds = KindSet::none();
  options.rtt.kinds.add(Kind::dns);
  options.interfaces = std::move(interfaces);
  return options;
}

bool remove_interface(const std::string& name) {
  return std::system(("ip link del " + name).c_str()) == 0;
}

/// One interface of two goes: the other one is measured on.
TEST(KernelRtt, EndsWithTheLastOfItsInterfaces) {
  const std::string skipped = in_network(
      "ip link add left type veth peer name behind-left && "
      "ip link add right type veth peer name behind-right && "
      "ip link set left up && ip link set right up",
      [](std::string& why_not) {
        auto run = KernelRtt::open(of_queries({"left", "right"}));
        if (!run) {
          why_not = run.error().message;
          return;
        }
        ASSERT_TRUE(run->step());
        EXPECT_TRUE(run->warnings().empty());
        ASSERT_TRUE(remove_interface("left"));
        // It looks ten times a second, and naps at most 5 ms between steps.
        for (int tries = 0; tries < 1'000 && run->warnings().empty(); ++tries)
          ASSERT_TRUE(run->step());
        EXPECT_EQ(run->warnings(), std::vector<std::string>{"left: the interface is gone"});
        ASSERT_TRUE(remove_interface("right"));
        bool goes_on = true;
        for (int tries = 0; tries < 1'000 && goes_on; ++tries) goes_on = run->step();
        EXPECT_FALSE(goes_on);
        ASSERT_EQ(run->warnings().size(), 2u);
        EXPECT_EQ(run->warnings()[1], "right: the interface is gone");
        EXPECT_EQ(run->how(), "detached");
      });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

/// A socket of 127.0.0.1 at this port; 0 is any that is free.
UniqueFd loopback_socket(std::uint16_t port) {
  UniqueFd opened{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(port);
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(opened.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return {};
  return opened;
}

bool send_to(const UniqueFd& from, const UniqueFd& to, const test::Bytes& bytes) {
  sockaddr_in there{};
  socklen_t size = sizeof there;
  return ::getsockname(to.get(), reinterpret_cast<sockaddr*>(&there), &size) == 0 &&
         ::sendto(from.get(), bytes.data(), bytes.size(), 0,
                  reinterpret_cast<const sockaddr*>(&there),
                  size) == static_cast<ssize_t>(bytes.size());
}

/// A point relies on it: its options do not name histograms, and it sends every sample on.
TEST(KernelRtt, HandsOverSamplesUnlessHistogramsAreAskedFor) {
  const std::string skipped = in_network("ip link set lo up", [](std::string& why_not) {
    KeptSamples kept;
    auto run = KernelRtt::open(of_queries({"lo"}), &kept);
    if (!run) {
      why_not = run.error().message;
      return;
    }
    ASSERT_FALSE(run->has_histograms());
    const UniqueFd client = loopback_socket(0), server = loopback_socket(53);
    ASSERT_TRUE(client && server);
    ASSERT_TRUE(send_to(client, server, test::dns(7, false, "example.org")));
    ASSERT_TRUE(send_to(server, client, test::dns(7, true, "example.org")));
    for (int tries = 0; tries < 1'000 && kept.samples().empty(); ++tries) ASSERT_TRUE(run->step());
    const std::span samples = kept.samples();
    ASSERT_EQ(samples.size(), 1u);
    EXPECT_EQ(samples[0].kind, Kind::dns);
    EXPECT_EQ(samples[0].responder_port, 53);
    EXPECT_EQ(run->measurement().pooled(Kind::dns).count(), 1u);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace sojourn
