#pragma once
// UDP, RFC 768.

#include "wire/headers/endian.h"

namespace sojourn {

struct UdpHeader {
  Be16 source_port{};
  Be16 destination_port{};
  Be16 length{};  // header included; 0 for jumbograms (RFC 2675 section 4)
  Be16 checksum{};
};
static_assert(sizeof(UdpHeader) == 8 && WireStruct<UdpHeader>);

}  // namespace sojourn
