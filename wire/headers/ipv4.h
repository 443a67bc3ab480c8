#pragma once
// IPv4, RFC 791.

#include <cstddef>
#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

/// IANA protocol numbers; IPv6 next headers share them.
enum class IpProtocol : std::uint8_t {
  hop_by_hop = 0,
  icmp = 1,
  ipv4 = 4,
  tcp = 6,
  udp = 17,
  ipv6 = 41,
  routing = 43,
  fragment = 44,
  gre = 47,
  esp = 50,
  authentication = 51,
  icmpv6 = 58,
  no_next = 59,
  destination_options = 60,
  ether_ip = 97,
  ip_compression = 108,
  mobility = 135,
  mpls = 137,
  ethernet = 143,
};

struct Ipv4Header {
  std::uint8_t version_and_length = 0x45;  // header length in 32-bit words, lower four bits
  std::uint8_t service = 0;
  Be16 total_length{};
  Be16 identification{};
  Be16 fragment{};  // flags (3 bits), offset in units of 8 bytes
  std::uint8_t time_to_live = 64;
  IpProtocol protocol{};
  Be16 checksum{};
  Be32 source{};
  Be32 destination{};

  std::uint8_t version() const { return version_and_length >> 4; }
  std::size_t length() const { return (version_and_length & 0x0fu) * 4u; }
  bool more_fragments() const { return (fragment & 0x2000u) != 0; }
  std::size_t fragment_offset() const { return (fragment & 0x1fffu) * 8u; }
};
static_assert(sizeof(Ipv4Header) == 20 && WireStruct<Ipv4Header>);

}  // namespace sojourn
