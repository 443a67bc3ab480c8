#include "ipfix/transport/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <cstring>

namespace sojourn::ipfix {

Result<Transport> parse_transport(std::string_view text) {
  for (std::size_t i = 0; i < transport_names.size(); ++i)
    if (transport_names[i] == text) return static_cast<Transport>(i);
  return unknown_name(text, "transport", transport_names);
}

Result<Endpoint> Endpoint::parse(std::string_view text, Transport transport, HostPort::Use use) {
  const auto parsed = HostPort::parse(text, use, default_port(transport));
  if (!parsed) return std::unexpected(parsed.error());
  return Endpoint{transport, parsed->host, parsed->port};
}

std::string Endpoint::to_string() const { return HostPort{host, port}.to_string(); }

std::string SocketAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage);
    ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v4->sin_port));
  }
  if (family() != AF_INET6) return "?";
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
    ::inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(v6->sin6_port));
  }
  ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  return fmt::format("[{}]:{}", text.data(), ntohs(v6->sin6_port));
}

Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint, bool to_listen) {
  addrinfo hints{};
  hints.ai_socktype = endpoint.transport == Transport::udp ? SOCK_DGRAM : SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  if (to_listen && endpoint.host.empty()) hints.ai_family = AF_INET6;  // takes IPv4 as well
  const std::string port = std::to_string(endpoint.port);
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(endpoint.host.empty() ? nullptr : endpoint.host.c_str(),
                                  port.c_str(), &hints, &found);
  if (error != 0)
    return failure(fmt::format("cannot find {}: {}", endpoint.host,
                               error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)));
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    addresses.push_back(address);
  }
  ::freeaddrinfo(found);
  return addresses;
}

}  // namespace sojourn::ipfix
