// Live capture in our own network namespace with loopback, a veth pair and a tun device.  Needs
// root; the namespace is deleted with the thread that entered it.
#include "capture/live/live_source.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "capture/live/privileges.h"
#include "capture/test_captures.h"
#include "capture/unique_fd.h"

namespace sojourn {
namespace {

using namespace test;

/// Runs `body` in a new network namespace, or says why it cannot.
std::string in_namespace(const std::function<void()>& body) {
  std::string skipped;
  std::thread{[&] {
    if (::unshare(CLONE_NEWNET) != 0)
      skipped = std::string{"no network namespace: "} + std::strerror(errno);
    else
      body();
  }}.join();
  return skipped;
}

bool run(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

void send_datagrams(const char* address, std::uint16_t port, int count, std::size_t size = 100) {
  const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &to.sin_addr);
  const std::vector<char> payload(size, 'x');
  for (int i = 0; i < count; ++i)
    ::sendto(socket.get(), payload.data(), payload.size(), 0,
             reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

/// The packets to the UDP port that arrive within a second.
std::vector<Copied> to_port(const ReadAll& all, std::size_t ip_offset, std::uint16_t port) {
  std::vector<Copied> found;
  for (const Copied& packet : all.packets)
    if (packet.bytes.size() >= ip_offset + 28 && packet.bytes[ip_offset] == std::byte{0x45} &&
        packet.bytes[ip_offset + 9] == std::byte{17} &&
        packet.bytes[ip_offset + 22] == static_cast<std::byte>(port >> 8) &&
        packet.bytes[ip_offset + 23] == static_cast<std::byte>(port & 0xff))
      found.push_back(packet);
  return found;
}

std::int64_t now_ns() {
  return to_ns(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
}

/// The device "tunnel" of this namespace; not open where there are no tun devices.
UniqueFd open_tunnel() {
  UniqueFd device{::open("/dev/net/tun", O_RDWR | O_CLOEXEC)};
  ifreq request{};
  std::memcpy(request.ifr_name, "tunnel", 7);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (!device || ::ioctl(device.get(), TUNSETIFF, &request) != 0) return UniqueFd{};
  return device;
}

TEST(LiveSource, SeesEachLoopbackPacketOnceWithItsTime) {
  const std::string skipped = in_namespace([] {
    ASSERT_TRUE(run("ip link set lo up"));
    auto source = open_interfaces({.interfaces = {"lo"}});
    ASSERT_TRUE(source) << source.error().message;
    const std::int64_t before = now_ns();
    send_datagrams("127.0.0.1", 9, 50);
    const std::int64_t after = now_ns();
    const auto packets = to_port(read_all(**source), 14, 9);
    ASSERT_EQ(packets.size(), 50u);
    for (const Copied& packet : packets) {
      EXPECT_GE(packet.time_ns, before);
      EXPECT_LE(packet.time_ns, after);
      EXPECT_EQ(packet.length, 14u + 20 + 8 + 100);
      EXPECT_EQ(packet.bytes.back(), std::byte{'x'});
    }
    EXPECT_EQ((*source)->counters().kernel_drops, 0u);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, ReturnsSoonWhenNothingPasses) {
  const std::string skipped = in_namespace([] {
    ASSERT_TRUE(run("ip link set lo up"));
    auto source = open_interfaces({.interfaces = {"lo"}});
    ASSERT_TRUE(source) << source.error().message;
    std::array<Packet, 8> batch;
    const auto before = std::chrono::steady_clock::now();
    const auto filled = (*source)->next(batch);
    EXPECT_EQ(filled.count, 0u);
    EXPECT_FALSE(filled.end);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{2});
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, CutsToTheSnapLengthAndFilters) {
  const std::string skipped = in_namespace([] {
    ASSERT_TRUE(run("ip link set lo up"));
    auto source =
        open_interfaces({.interfaces = {"lo"}, .snap_length = 60, .filter = "udp dst port 9"});
    ASSERT_TRUE(source) << source.error().message;
    send_datagrams("127.0.0.1", 9, 5, 1000);
    send_datagrams("127.0.0.1", 10, 5, 1000);
    const ReadAll all = read_all(**source);
    const auto packets = to_port(all, 14, 9);
    ASSERT_EQ(packets.size(), 5u);
    EXPECT_EQ(all.packets.size(), 5u);
    EXPECT_GE(all.counters.filtered, 5u);
    EXPECT_EQ(packets[0].bytes.size(), 60u);
    EXPECT_EQ(packets[0].length, 1042u);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

/// Puts a frame on the wire as it is.
void send_frame(const char* interface, const Bytes& frame, int count) {
  const UniqueFd socket{::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)};
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_ifindex = static_cast<int>(::if_nametoindex(interface));
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(::sendto(socket.get(), frame.data.data(), frame.size(), 0,
                       reinterpret_cast<const sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(frame.size()));
}

TEST(LiveSource, PutsTheVlanTagBackThatTheKernelTook) {
  const std::string skipped = in_namespace([] {
    if (!run("ip link add left type veth peer name right && ip link set left up && ip link set "
             "right up"))
      GTEST_SKIP() << "no veth devices";
    for (const auto tag : {std::uint16_t{0x8100}, std::uint16_t{0x88a8}}) {
      auto source = open_interfaces({.interfaces = {"right"}});
      ASSERT_TRUE(source) << source.error().message;
      Bytes frame{{}, true};
      frame.u32(0x02000000).u16(2).u32(0x02000000).u16(1).u16(tag).u16(0x602a).u16(0x0800);
      frame.u32(0x4500001c).u32(0).u32(0x40110000).u32(0xc0000201).u32(0xc0000202);
      frame.u16(4000).u16(9).u32(0x00080000).counting(30);
      send_frame("left", frame, 10);
      const auto packets = to_port(read_all(**source), 18, 9);
      ASSERT_EQ(packets.size(), 10u);
      EXPECT_EQ(packets[0].length, frame.size());
      EXPECT_EQ(packets[0].bytes, frame.data);
    }
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, ReadsATunnelAsRawIp) {
  const std::string skipped = in_namespace([] {
    const UniqueFd device = open_tunnel();
    if (!device) GTEST_SKIP() << "no tun device";
    ASSERT_TRUE(run("ip address add 192.0.2.1/24 dev tunnel && ip link set tunnel up"));
    auto source = open_interfaces({.interfaces = {"tunnel"}});
    ASSERT_TRUE(source) << source.error().message;
    send_datagrams("192.0.2.2", 9, 10);
    const auto packets = to_port(read_all(**source), 0, 9);
    ASSERT_EQ(packets.size(), 10u);
    EXPECT_EQ(packets[0].link, LinkType::raw);
    EXPECT_EQ(packets[0].length, 128u);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

/// Datagrams to loopback, to a veth pair and into a tunnel, where there is no Ethernet header.
TEST(LiveSource, HearsSeveralInterfacesOrAllOfThemInTheOrderOfTime) {
  const std::string skipped = in_namespace([] {
    const UniqueFd device = open_tunnel();
    if (!device) GTEST_SKIP() << "no tun device";
    ASSERT_TRUE(run("ip address add 192.0.2.1/24 dev tunnel && ip link set tunnel up"));
    ASSERT_TRUE(run("ip link set lo up"));
    ASSERT_TRUE(
        run("ip link add left type veth peer name right && ip link set left up && "
            "ip link set right up"));
    auto two = open_interfaces({.interfaces = {"lo", "tunnel", "lo"}});
    auto all = open_interfaces({.interfaces = {"any"}});
    ASSERT_TRUE(two) << two.error().message;
    ASSERT_TRUE(all) << all.error().message;
    send_datagrams("127.0.0.1", 9, 10);
    send_datagrams("192.0.2.2", 9, 10);
    Bytes frame{{}, true};
    frame.u32(0x02000000).u16(2).u32(0x02000000).u16(1).u16(0x8100).u16(0x602a).u16(0x0800);
    frame.u32(0x4500001c).u32(0).u32(0x40110000).u32(0xc0000201).u32(0xc0000202);
    frame.u16(4000).u16(9).u32(0x00080000).counting(30);
    send_frame("left", frame, 10);
    for (const bool any : {false, true}) {
      const ReadAll read = read_all(any ? **all : **two);
      EXPECT_EQ(to_port(read, 14, 9).size(), 10u) << any;  // once each, though it leaves and comes
      const auto raw = to_port(read, 0, 9);
      ASSERT_EQ(raw.size(), 10u) << any;
      EXPECT_EQ(raw[0].link, LinkType::raw);
      EXPECT_EQ(raw[0].length, 128u);
      // A packet that leaves at one end of the pair arrives at the other.
      EXPECT_EQ(to_port(read, 18, 9).size(), any ? 20u : 0u);
      EXPECT_TRUE(std::ranges::is_sorted(read.packets, {}, &Copied::time_ns));
    }
    EXPECT_EQ(open_interfaces({.interfaces = {"any", "lo"}}).error().message,
              "any is all interfaces: leave out the others");
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, GoesOnUntilTheLastOfSeveralIsGone) {
  const std::string skipped = in_namespace([] {
    if (!run("ip link add left type veth peer name right && ip link set left up && ip link set "
             "right up && ip link add third type veth peer name fourth && ip link set third up"))
      GTEST_SKIP() << "no veth devices";
    auto source = open_interfaces({.interfaces = {"left", "third"}});
    ASSERT_TRUE(source) << source.error().message;
    ASSERT_TRUE(run("ip link delete left"));
    std::array<Packet, 8> batch;
    for (int i = 0; i < 50 && (*source)->warnings().empty(); ++i)
      EXPECT_FALSE((*source)->next(batch).end);
    ASSERT_EQ((*source)->warnings().size(), 1u);
    EXPECT_EQ((*source)->warnings()[0], "left, third: left is gone");
    ASSERT_TRUE(run("ip link delete third"));
    bool end = false;
    for (int i = 0; i < 50 && !end; ++i) end = (*source)->next(batch).end;
    EXPECT_TRUE(end);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, CountsWhatTheKernelDropped) {
  const std::string skipped = in_namespace([] {
    ASSERT_TRUE(run("ip link set lo up"));
    // 2 MiB; not read while 8 MB pass.
    auto source = open_interfaces({.interfaces = {"lo"}, .ring_bytes = 2 << 20});
    ASSERT_TRUE(source) << source.error().message;
    send_datagrams("127.0.0.1", 9, 8'000, 1000);
    const ReadAll all = read_all(**source);
    const auto seen = to_port(all, 14, 9).size();
    EXPECT_GT(seen, 100u);
    EXPECT_LT(seen, 8'000u);
    // Both copies of a packet count as dropped, the one that leaves and the one that arrives.
    EXPECT_GE(all.counters.kernel_drops, 8'000 - seen);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

// On a busy interface there is always a block to read, and never a silence to count drops in.
TEST(LiveSource, CountsDropsWithoutASilence) {
  const std::string skipped = in_namespace([] {
    ASSERT_TRUE(run("ip link set lo up"));
    auto source = open_interfaces({.interfaces = {"lo"}, .ring_bytes = 2 << 20});
    ASSERT_TRUE(source) << source.error().message;
    send_datagrams("127.0.0.1", 9, 8'000, 1000);
    // More than one block of 128 KiB has, less than the ring does.
    constexpr std::size_t some = 100;
    std::array<Packet, 5> batch;
    for (std::size_t i = 0; i < some && (*source)->counters().packets < some; ++i)
      (*source)->next(batch);
    ASSERT_GE((*source)->counters().packets, some);
    EXPECT_GT((*source)->counters().kernel_drops, 0u);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, EndsWhenTheInterfaceGoesAway) {
  const std::string skipped = in_namespace([] {
    if (!run("ip link add left type veth peer name right && ip link set left up && ip link set "
             "right up"))
      GTEST_SKIP() << "no veth devices";
    auto source = open_interfaces({.interfaces = {"left"}});
    ASSERT_TRUE(source) << source.error().message;
    ASSERT_TRUE(run("ip link delete left"));
    std::array<Packet, 8> batch;
    bool end = false;
    for (int i = 0; i < 50 && !end; ++i) end = (*source)->next(batch).end;
    EXPECT_TRUE(end);
    ASSERT_FALSE((*source)->warnings().empty());
    EXPECT_EQ((*source)->warnings().back(), "left: the interface is gone");
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

TEST(LiveSource, ExplainsWhyItCannotListen) {
  EXPECT_EQ(open_interfaces({.interfaces = {"nosuch0"}}).error().message,
            "no such interface: nosuch0");
  EXPECT_EQ(open_interfaces({.interfaces = {""}}).error().message, "'' is not an interface name");
  const std::string skipped = in_namespace([] {
    EXPECT_EQ(open_interfaces({.interfaces = {"lo"}}).error().message, "lo: the interface is down");
    ASSERT_TRUE(run("ip link set lo up"));
    // Changes the effective user of this thread only: without root there is no CAP_NET_RAW.
    constexpr uid_t nobody = 65'534;
    if (::syscall(SYS_setresuid, -1, nobody, -1) != 0) GTEST_SKIP() << "cannot become another user";
    const std::string refused = open_interfaces({.interfaces = {"lo"}}).error().message;
    EXPECT_EQ(refused, "lo: capturing needs root or the capability CAP_NET_RAW");
    const std::string advised = with_capability_advice(refused);
    EXPECT_TRUE(advised.starts_with(refused)) << advised;
    EXPECT_NE(advised.find("'sudo setcap cap_net_raw=ep /"), std::string::npos) << advised;
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace sojourn
