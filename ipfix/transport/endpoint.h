#pragma once
// Where a session goes to or comes from: transport, host and port.

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse.h"
#include "core/result.h"

namespace sojourn::ipfix {

enum class Transport : std::uint8_t { tcp, tls, udp };
inline constexpr std::array<std::string_view, 3> transport_names = {"tcp", "tls", "udp"};
constexpr std::string_view name_of(Transport transport) {
  return transport_names[static_cast<std::size_t>(transport)];
}
Result<Transport> parse_transport(std::string_view text);

/// IANA's ports: 4739 ipfix, 4740 ipfixs.
constexpr std::uint16_t default_port(Transport transport) {
  return transport == Transport::tls ? 4740 : 4739;
}

struct Endpoint {
  Transport transport = Transport::tcp;
  std::string host;  ///< empty: every address of this machine
  std::uint16_t port = 4739;

  /// HostPort::parse, with the port of the transport unless the text has one.
  static Result<Endpoint> parse(std::string_view text, Transport transport, HostPort::Use use);
  std::string to_string() const;
};

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  /// "192.0.2.1:4739", "[2001:db8::1]:4739"; an IPv4 address within IPv6 is shown as IPv4.
  std::string to_string() const;
};

/// All addresses of a host, the best first.  May ask a name server and wait for it.
Result<std::vector<SocketAddress>> resolve(const Endpoint& endpoint, bool to_listen);

/// Files of a certificate, its key, and who must have signed the other side's.
struct TlsFiles {
  std::string certificate, key, authority;  ///< PEM
};

}  // namespace sojourn::ipfix
