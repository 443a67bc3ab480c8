#pragma once
// Packets that ask and answer, for tests of the kernel's program.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/packet.h"

namespace sojourn::test {

/// A DNS query or its response over IPv4 and Ethernet, one flow for each number.
struct Datagram {
  std::array<std::uint8_t, 14 + 20 + 8 + 12> bytes{};

  Datagram(std::uint32_t number, bool response) {
    bytes[12] = 0x08;
    bytes[14] = 0x45;
    bytes[17] = 40;
    bytes[23] = 17;
    const std::size_t client = response ? 30 : 26, server = response ? 26 : 30;
    const std::uint8_t port = response ? 34 : 36;
    bytes[client] = 10;
    for (int i = 0; i < 3; ++i)
      bytes[client + 1 + static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(number >> (16 - 8 * i));
    bytes[server] = 192;
    bytes[port + 1] = 53;
    bytes[(response ? 36 : 34)] = 0x40;
    bytes[39] = 20;
    bytes[44] = response ? 0x80 : 0;
  }
  Packet at(std::int64_t time_ns) const {
    return {timestamp_from_ns(time_ns), reinterpret_cast<const std::byte*>(bytes.data()),
            static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint32_t>(bytes.size()),
            LinkType::ethernet};
  }
};

}  // namespace sojourn::test
