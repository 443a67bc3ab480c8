// Ethernet and what may stand between it and IP.

#include "wire/headers/mpls.h"
#include "wire/headers/ppp.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

Step layer_of_type_field(LocatedPacket& at, std::uint16_t type) {
  if (type >= first_ether_type) return layer_of(static_cast<EtherType>(type));
  // IEEE 802.3: a length.  Offloading senders may write zero; then the captured frame length
  // counts.
  if (type > 0 && type < at.rest.length()) at.rest.set_length(type);
  return read_llc;
}

/// A tag of no interest to us that ends in the next EtherType.
Step read_tag(LocatedPacket& at, std::size_t length) {
  if (!at.rest.skip(length)) return Skip::truncated_link;
  const auto* type = at.rest.take<Be16>();
  if (!type) return Skip::truncated_link;
  return layer_of_type_field(at, *type);
}

/// Marks the packet as unable to grow in place, until an IP header has been passed.
void note_length(LocatedPacket& at) { at.length_below |= at.outer.ip == nullptr; }

}  // namespace

bool looks_like_ethernet(const Cursor& cursor, std::size_t offset) {
  const auto* header = cursor.peek<EthernetHeader>(offset);
  if (!header) return false;
  if (header->type < first_ether_type) {
    const auto* llc = cursor.peek<LlcHeader>(offset + sizeof(EthernetHeader));
    return llc && llc->destination_service == snap_service && llc->source_service == snap_service;
  }
  const Step step = layer_of(static_cast<EtherType>(std::uint16_t{header->type}));
  return step.next() != nullptr || step.reason() == Skip::not_ip;
}

Step read_ethernet(LocatedPacket& at) {
  const auto* header = at.rest.take<EthernetHeader>();
  if (!header) return Skip::truncated_link;
  return layer_of_type_field(at, header->type);
}

Step read_vlan(LocatedPacket& at) {
  const auto* tag = at.rest.take<VlanTag>();
  if (!tag) return Skip::truncated_link;
  if (at.vlan == Sample::no_vlan) at.vlan = tag->identifier();  // the outermost one counts
  return layer_of_type_field(at, tag->type);
}

Step read_tag_of_4(LocatedPacket& at) { return read_tag(at, 4); }
Step read_tag_of_6(LocatedPacket& at) { return read_tag(at, 6); }

/// IEEE 802.1ah: four bytes of service identifier, then the customer's whole frame.
Step read_service_tag(LocatedPacket& at) {
  return at.rest.skip(4) ? Step{read_ethernet} : Step{Skip::truncated_link};
}

Step read_llc(LocatedPacket& at) {
  constexpr std::uint8_t ip = 0x06;
  note_length(at);
  const auto* llc = at.rest.take<LlcHeader>();
  if (!llc) return Skip::truncated_link;
  if (llc->destination_service == ip && llc->source_service == ip) return read_ipv4;
  if (llc->destination_service != snap_service || llc->source_service != snap_service)
    return Skip::not_ip;

  const auto* header = at.rest.take<SnapHeader>();
  if (!header) return Skip::truncated_link;
  // RFC 1042 and, for what bridges translated, 802.1H use these organisations with EtherTypes.
  constexpr std::array<std::uint8_t, 3> rfc1042{0, 0, 0}, bridge_tunnel{0, 0, 0xf8};
  if (header->organisation != rfc1042 && header->organisation != bridge_tunnel) return Skip::not_ip;
  return layer_of(static_cast<EtherType>(std::uint16_t{header->type}));
}

Step read_mpls(LocatedPacket& at) {
  constexpr int longest_stack = 16;
  bool bottom = false;
  for (int labels = 0; !bottom; ++labels) {
    if (labels == longest_stack) return Skip::too_deep;
    const auto* label = at.rest.take<MplsLabel>();
    if (!label) return Skip::truncated_link;
    bottom = label->bottom();
  }
  const auto* first = at.rest.peek<std::uint8_t>();
  if (!first) return Skip::truncated_link;
  // Pseudowires carry no type (RFC 3985).
  // The first four bits distinguish IP from a pseudowire's control word (RFC 4928 section 3).  They
  // do not distinguish it from an Ethernet pseudowire without one, whose first byte is part of an
  // address.
  constexpr std::size_t control_word = 4;
  const unsigned nibble = *first >> 4;
  if (nibble == 0 && looks_like_ethernet(at.rest, control_word))
    return at.rest.skip(control_word) ? Step{read_ethernet} : Step{Skip::truncated_link};
  if (nibble == 4 && (*first & 0xfu) >= 5) return read_ipv4;
  if (nibble == 6) return read_ipv6;
  if (looks_like_ethernet(at.rest, 0)) return read_ethernet;
  return Skip::not_ip;
}

Step read_pppoe(LocatedPacket& at) {
  note_length(at);
  const auto* header = at.rest.take<PppoeHeader>();
  if (!header) return Skip::truncated_link;
  if (header->code != 0) return Skip::not_ip;
  if (header->length > 0 && header->length < at.rest.length()) at.rest.set_length(header->length);
  return read_ppp;
}

Step read_ppp(LocatedPacket& at) {
  // RFC 1662 section 3.1: ff 03 comes first, unless negotiated away.
  const auto* framing = at.rest.peek<Be16>();
  if (framing && *framing == 0xff03u && !at.rest.skip(sizeof(Be16))) return Skip::truncated_link;
  // RFC 1661 section 6.5: one byte if its lowest bit is set, as the first of two never is.
  const auto* first = at.rest.take<std::uint8_t>();
  if (!first) return Skip::truncated_link;
  std::uint16_t protocol = *first;
  if ((*first & 1u) == 0) {
    const auto* second = at.rest.take<std::uint8_t>();
    if (!second) return Skip::truncated_link;
    protocol = static_cast<std::uint16_t>(protocol << 8 | *second);
  }
  constexpr std::uint16_t first_control_protocol = 0x8000;  // RFC 1661 section 2
  if (protocol >= first_control_protocol) return Skip::not_ip;
  switch (static_cast<PppProtocol>(protocol)) {
    case PppProtocol::ipv4:
      return read_ipv4;
    case PppProtocol::ipv6:
      return read_ipv6;
    case PppProtocol::mpls:
    case PppProtocol::mpls_multicast:
      return read_mpls;
    case PppProtocol::van_jacobson_compressed:
    case PppProtocol::van_jacobson_uncompressed:
    case PppProtocol::compressed_single_link:
    case PppProtocol::compressed:
      return Skip::compressed;
    case PppProtocol::multilink:
      break;  // fragments of packets
  }
  return Skip::unknown_ethertype;
}

Step read_cisco_hdlc(LocatedPacket& at) {
  const auto* header = at.rest.take<CiscoHdlcHeader>();
  if (!header) return Skip::truncated_link;
  constexpr std::uint16_t slarp = 0x8035, discovery = 0x2000, iso = 0xfefe;
  if (header->type == slarp || header->type == discovery || header->type == iso)
    return Skip::not_ip;
  return layer_of(static_cast<EtherType>(std::uint16_t{header->type}));
}

}  // namespace sojourn
