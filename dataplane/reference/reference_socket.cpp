#include "dataplane/reference/reference_socket.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

/// An address for connect(2) or bind(2).
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  SocketAddress(const IpAddress& address, std::uint16_t port, int index) {
    if (address.version() == IpVersion::v4) {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(port);
      std::memcpy(&to.sin_addr, address.bytes().data(), 4);
      put(to);
    } else {
      sockaddr_in6 to{};
      to.sin6_family = AF_INET6;
      to.sin6_port = htons(port);
      std::memcpy(&to.sin6_addr, address.bytes().data(), 16);
      to.sin6_scope_id = static_cast<std::uint32_t>(index);
      put(to);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }

 private:
  template <class Address>
  void put(const Address& address) {
    std::memcpy(&storage, &address, sizeof address);
    size = sizeof address;
  }
};

template <class Value>
bool set(int socket, int level, int option, const Value& value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

Error socket_error(const std::string& interface, const std::string& what) {
  return Error{fmt::format("{}: {}: {}", interface, what, std::strerror(errno))};
}

}  // namespace

Result<ReferenceSocket> ReferenceSocket::open(const std::string& interface, int index,
                                              const ReferenceDestination& to) {
  const IpAddress address = to.address ? *to.address : *IpAddress::parse("224.0.0.1");
  const bool is_ipv6 = address.version() == IpVersion::v6;
  ReferenceSocket opened;
  opened.destination_ = address_and_port(address, to.port);
  opened.socket_ = UniqueFd{
      ::socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int socket = opened.socket_.get();
  if (!opened.socket_) return std::unexpected(socket_error(interface, "cannot open a socket"));
  if (::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
                   static_cast<socklen_t>(interface.size())) != 0)
    return std::unexpected(socket_error(interface, "cannot send by this interface alone"));
  const int off = 0;
  if (is_ipv6) {
    set(socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, index);
    set(socket, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, off);
  } else {
    ip_mreqn by{};
    by.imr_ifindex = index;
    set(socket, IPPROTO_IP, IP_MULTICAST_IF, by);
    set(socket, IPPROTO_IP, IP_MULTICAST_LOOP, off);
  }
  const SocketAddress there{address, to.port, index};
  if (::connect(socket, there.get(), there.size) != 0)
    return std::unexpected(
        socket_error(interface, "reference packets find no way to " + opened.destination_));
  return opened;
}

bool ReferenceSocket::send(std::uint16_t sender, std::uint32_t sequence) const {
  const auto bytes = encode(ReferencePacket{sender, sequence, timestamp_from_ns(0)});
  for (int tries = 0; tries < 2; ++tries) {
    if (::send(socket_.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()))
      return true;
    if (errno != ECONNREFUSED) return false;  // what somebody answered to the one before
  }
  return false;
}

UniqueFd absorb_references(std::uint16_t port) {
  UniqueFd socket{::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  bool fine = static_cast<bool>(socket);
  if (fine) {
    const int off = 0;
    set(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, off);
    const SocketAddress any{*IpAddress::parse("::"), port, 0};
    fine = ::bind(socket.get(), any.get(), any.size) == 0;
  }
  if (!fine) {
    socket = UniqueFd{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    const SocketAddress any{*IpAddress::parse("0.0.0.0"), port, 0};
    if (!socket || ::bind(socket.get(), any.get(), any.size) != 0) return {};
  }
  sock_filter nothing[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, nothing};
  set(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, program);
  return socket;
}

}  // namespace sojourn
