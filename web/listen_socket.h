#pragma once
// A socket that listens: opened before privileges are given up.

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
