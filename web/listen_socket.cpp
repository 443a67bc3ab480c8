#include "web/listen_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sojourn::web {
namespace {

std::unexpected<Error> refused(const std::string& what) {
  return failure(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<IpAddress> listen_address(const std::string& host) {
  if (host == "localhost") return IpAddress::parse("127.0.0.1");
  if (host.empty()) return IpAddress::parse("::");
  return IpAddress::parse(host);
}

Result<ListenSocket> open_listen_socket(const std::string& host, std::uint16_t port) {
  const auto address = listen_address(host);
  if (!address) return std::unexpected(address.error());
  const bool v4 = address->version() == IpVersion::v4;
  const int socket =
      ::socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return refused("cannot open a socket");
  const int one = 1, zero = 0;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (v4) {
    auto& place = reinterpret_cast<sockaddr_in&>(storage);
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    std::memcpy(&place.sin_addr, address->bytes().data(), 4);
    length = sizeof(sockaddr_in);
  } else {
    setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
    auto& place = reinterpret_cast<sockaddr_in6&>(storage);
    place.sin6_family = AF_INET6;
    place.sin6_port = htons(port);
    std::memcpy(&place.sin6_addr, address->bytes().data(), 16);
    length = sizeof(sockaddr_in6);
  }
  if (bind(socket, reinterpret_cast<const sockaddr*>(&storage), length) != 0 ||
      listen(socket, 128) != 0) {
    auto error = refused(fmt::format("cannot serve the page on {} port {}", host, port));
    close(socket);
    return error;
  }
  getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length);
  const std::uint16_t bound = ntohs(v4 ? reinterpret_cast<const sockaddr_in&>(storage).sin_port
                                       : reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
  return ListenSocket{socket, *address, bound};
}

}  // namespace sojourn::web
