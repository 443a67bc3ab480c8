// What a sender of reference packets asks of the kernel, on loopback.
#include "dataplane/reference/reference_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "dataplane/reference/interface_counters.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

constexpr const char* loopback = "lo";

/// A UDP socket at a free port of 127.0.0.1.
struct Receiver {
  Receiver() : socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  UniqueFd socket;
  std::uint16_t port = 0;
};

int loopback_index() { return static_cast<int>(::if_nametoindex(loopback)); }

TEST(ReferenceSocket, SendsWhereItIsTold) {
  const Receiver receiver;
  const auto socket = ReferenceSocket::open(loopback, loopback_index(),
                                            {*IpAddress::parse("127.0.0.1"), receiver.port});
  ASSERT_TRUE(socket) << socket.error().message;
  EXPECT_EQ(socket->destination(), "127.0.0.1:" + std::to_string(receiver.port));
  ASSERT_TRUE(socket->send(7, 1'000'000));
  std::array<std::byte, 100> bytes{};
  const ssize_t size = ::recv(receiver.socket.get(), bytes.data(), bytes.size(), 0);
  const auto expected = encode(ReferencePacket{7, 1'000'000, timestamp_from_ns(0)});
  ASSERT_EQ(size, static_cast<ssize_t>(expected.size()));
  EXPECT_TRUE(std::ranges::equal(expected, std::span{bytes}.first(expected.size())));
}

TEST(ReferenceSocket, AnAbsorberLetsNobodyKnowThatThePortIsClosed) {
  std::uint16_t port = 0;
  {
    port = Receiver{}.port;
  }
  const auto socket =
      ReferenceSocket::open(loopback, loopback_index(), {*IpAddress::parse("127.0.0.1"), port});
  ASSERT_TRUE(socket) << socket.error().message;
  const UniqueFd absorber = absorb_references(port);
  EXPECT_TRUE(absorber) << std::strerror(errno);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_TRUE(socket->send(7, i));
  std::byte byte{};
  EXPECT_LT(::recv(absorber.get(), &byte, 1, MSG_DONTWAIT), 0) << "nothing is kept";
}

TEST(InterfaceCounters, CountWhatIsSent) {
  auto counters = InterfaceCounters::open(loopback_index());
  ASSERT_TRUE(counters) << counters.error().message;
  const Receiver receiver;
  const auto socket = ReferenceSocket::open(loopback, loopback_index(),
                                            {*IpAddress::parse("127.0.0.1"), receiver.port});
  ASSERT_TRUE(socket) << socket.error().message;
  const std::uint64_t before = counters->sent_bytes();
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(socket->send(7, i));
  EXPECT_GE(counters->sent_bytes(), before + 100 * (20 + 8 + sizeof(ReferencePacketHeader)));
}

}  // namespace
}  // namespace sojourn
