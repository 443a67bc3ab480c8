#pragma once
// A packet as a capture delivers it: where its bytes are, and when it passed.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/time.h"

namespace sojourn {

/// What the first byte of a packet belongs to, by the numbers of the LINKTYPE registry
/// (draft-ietf-opsawg-pcaplinktype).  Only those that Sojourn reads have a name here.
enum class LinkType : std::uint16_t {
  null = 0,  // BSD loopback: 4 bytes of address family, byte order of the writer
  ethernet = 1,
  ppp = 9,           // RFC 1662 framing, address and control bytes possibly compressed away
  raw_bsd = 12,      // raw IP as BSD numbers it
  raw_openbsd = 14,  // raw IP as OpenBSD numbers it
  ppp_hdlc = 50,     // RFC 1662 section 4.3.1
  ppp_ether = 51,    // RFC 2516 session packets without their Ethernet header
  raw = 101,         // IPv4 or IPv6, by the version field
  cisco_hdlc = 104,
  ieee80211 = 105,
  loop = 108,  // OpenBSD loopback: address family in network order
  linux_cooked = 113,
  ieee80211_radiotap = 127,
  ipv4 = 228,
  ipv6 = 229,
  linux_cooked2 = 276,
};

/// One packet.  The bytes are borrowed from the source that filled it in.
struct Packet {
  Timestamp time;
  const std::byte* data = nullptr;
  std::uint32_t captured = 0;  ///< bytes at `data`; a snap length may have cut the packet
  std::uint32_t length = 0;    ///< bytes that were on the wire
  LinkType link = LinkType::ethernet;
  std::uint8_t interface = 0;  ///< number of its name, filled in only on request

  std::span<const std::byte> bytes() const { return {data, captured}; }
};

}  // namespace sojourn
