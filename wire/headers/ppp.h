#pragma once
// PPP (RFC 1661, RFC 1662), PPP over Ethernet (RFC 2516), Cisco HDLC.

#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

enum class PppProtocol : std::uint16_t {
  ipv4 = 0x0021,
  van_jacobson_compressed = 0x002d,
  van_jacobson_uncompressed = 0x002f,
  multilink = 0x003d,
  ipv6 = 0x0057,
  compressed_single_link = 0x00fb,
  compressed = 0x00fd,
  mpls = 0x0281,
  mpls_multicast = 0x0283,
};

/// What follows EtherType 0x8864; the PPP frame comes without address and control bytes.
struct PppoeHeader {
  std::uint8_t version_and_type = 0x11;
  std::uint8_t code = 0;  // 0: session data
  Be16 session{};
  Be16 length{};
};
static_assert(sizeof(PppoeHeader) == 6 && WireStruct<PppoeHeader>);

struct CiscoHdlcHeader {
  std::uint8_t address = 0x0f;  // 0f unicast, 8f multicast
  std::uint8_t control = 0;
  Be16 type{};  // an EtherType
};
static_assert(sizeof(CiscoHdlcHeader) == 4 && WireStruct<CiscoHdlcHeader>);

}  // namespace sojourn
