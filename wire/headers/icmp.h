#pragma once
// ICMP echo, RFC 792, and ICMPv6 echo, RFC 4443 section 4.

#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

enum class IcmpType : std::uint8_t { echo_reply = 0, echo_request = 8 };
enum class Icmpv6Type : std::uint8_t { echo_request = 128, echo_reply = 129 };

/// The first eight bytes of an echo message; the first four are common to all types.
struct IcmpEcho {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  Be16 checksum{};
  Be16 identifier{};
  Be16 sequence{};

  std::uint32_t token() const { return std::uint32_t{identifier} << 16 | std::uint32_t{sequence}; }
};
static_assert(sizeof(IcmpEcho) == 8 && WireStruct<IcmpEcho>);

}  // namespace sojourn
