#pragma once
// VXLAN, VXLAN-GPE and the network service header in it.  Only for tunnels.cpp.

#include <algorithm>

#include "wire/tunnel_likeness.h"
#include "wire/walk.h"

namespace sojourn {

/// VXLAN, RFC 7348 section 5: a whole Ethernet frame follows.  With the P bit it is VXLAN-GPE
/// (draft-ietf-nvo3-vxlan-gpe-13 section 3), which says what follows.  The group policy extension
/// (draft-smith-vxlan-group-policy) uses reserved bits, so those are not zero in every tunnel.
struct VxlanHeader {
  std::uint8_t flags;
  std::uint8_t reserved1[2];
  std::uint8_t next_protocol;  // reserved without the P bit
  std::uint8_t identifier[3];
  std::uint8_t reserved2;

  static constexpr std::uint8_t has_identifier = 0x08, has_protocol = 0x04, version = 0x30;
  bool is_extended() const { return (flags & has_protocol) != 0; }
};
/// Network service header, RFC 8300 section 2.2: the length is in the second byte.
struct ServiceHeader {
  std::uint8_t version_and_time_to_live;
  std::uint8_t length_in_words;  // lower six bits
  std::uint8_t metadata_type;
  std::uint8_t next_protocol;

  std::size_t length() const { return (length_in_words & 0x3fu) * 4u; }
};
static_assert(sizeof(VxlanHeader) == 8 && sizeof(ServiceHeader) == 4);

/// The numbering of VXLAN-GPE and, up to MPLS, of the network service header.
enum class NextProtocol : std::uint8_t { ipv4 = 1, ipv6 = 2, ethernet = 3, service = 4, mpls = 5 };

inline Step read_service_header(LocatedPacket& at);

inline Step layer_of(NextProtocol protocol) {
  switch (protocol) {
    case NextProtocol::ipv4:
      return read_ipv4;
    case NextProtocol::ipv6:
      return read_ipv6;
    case NextProtocol::ethernet:
      return read_ethernet;
    case NextProtocol::service:
      return read_service_header;
    case NextProtocol::mpls:
      return read_mpls;
  }
  return Skip::unknown_ethertype;
}

inline Step read_service_header(LocatedPacket& at) {
  const auto* header = at.rest.peek<ServiceHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->length() < 2 * sizeof(ServiceHeader)) return Skip::bad_tunnel;
  if (!at.rest.skip(header->length())) return Skip::truncated_tunnel;
  return layer_of(static_cast<NextProtocol>(header->next_protocol));
}

inline Step read_vxlan(LocatedPacket& at) {
  const auto* header = at.rest.take<VxlanHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (!header->is_extended()) return read_ethernet;
  return layer_of(static_cast<NextProtocol>(header->next_protocol));
}

inline Likeness likeness_of_next(const Suspect& suspect, NextProtocol protocol,
                                 std::size_t offset) {
  switch (protocol) {
    case NextProtocol::ipv4:
      return likeness_of_ipv4(suspect, offset);
    case NextProtocol::ipv6:
      return likeness_of_ipv6(suspect, offset);
    case NextProtocol::ethernet:
      return likeness_of_frame(suspect, offset);
    default:
      return Likeness::none;
  }
}

inline Likeness likeness_of_vxlan(const Suspect& suspect) {
  constexpr std::size_t behind = sizeof(VxlanHeader);
  if (suspect.is_cut(0, behind)) return Likeness::header;
  const auto* header = suspect.payload.peek<VxlanHeader>();
  if (!header || (header->flags & (VxlanHeader::has_identifier | VxlanHeader::version)) !=
                     VxlanHeader::has_identifier)
    return Likeness::none;
  const bool untouched =
      header->reserved1[0] == 0 && header->reserved1[1] == 0 && header->reserved2 == 0;
  if (header->is_extended()) {
    const auto protocol = static_cast<NextProtocol>(header->next_protocol);
    return std::max(header_if(untouched), likeness_of_next(suspect, protocol, behind));
  }
  const bool plain =
      untouched && header->flags == VxlanHeader::has_identifier && header->next_protocol == 0;
  return std::max(header_if(plain), likeness_of_frame(suspect, behind));
}

}  // namespace sojourn
