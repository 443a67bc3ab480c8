#pragma once
// Headers of link types other than Ethernet, as captures hold them.

#include <array>
#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

/// "Linux cooked" capture, LINKTYPE_LINUX_SLL.
struct LinuxCooked {
  Be16 packet_type{};
  Be16 device_type{};  // ARPHRD_
  Be16 address_length{};
  std::array<std::uint8_t, 8> address{};
  Be16 protocol{};
};
static_assert(sizeof(LinuxCooked) == 16 && WireStruct<LinuxCooked>);

/// LINKTYPE_LINUX_SLL2.
struct LinuxCooked2 {
  Be16 protocol{};
  Be16 reserved{};
  Be32 interface{};
  Be16 device_type{};
  std::uint8_t packet_type = 0;
  std::uint8_t address_length = 0;
  std::array<std::uint8_t, 8> address{};
};
static_assert(sizeof(LinuxCooked2) == 20 && WireStruct<LinuxCooked2>);

/// BSD's null and loop headers: an address family, whose number for IPv6 depends on the system.
/// Null is in the byte order of the writer, loop in network order; the numbers are small enough to
/// detect the order.
enum class AddressFamily : std::uint32_t {
  ipv4 = 2,
  ipv6_linux = 10,
  ipv6_windows = 23,
  ipv6_net_and_open_bsd = 24,
  ipv6_freebsd = 28,
  ipv6_darwin = 30,
};

}  // namespace sojourn
