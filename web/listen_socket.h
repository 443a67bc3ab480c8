#pragma once
// A listening socket: opened before privileges are dropped.

#include <cstdint>
#include <string>

#include "core/address.h"
#include "core/result.h"

namespace sojourn::web {

struct ListenSocket {
  int descriptor = -1;
  IpAddress address;
  std::uint16_t port = 0;
};

/// `host` is an address, "localhost", or empty for every address of this machine.
Result<IpAddress> listen_address(const std::string& host);
Result<ListenSocket> open_listen_socket(const std::string& host, std::uint16_t port);

}  // namespace sojourn::web
