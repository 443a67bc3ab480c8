#include "wire/walk.h"

namespace sojourn {

std::optional<Skip> locate(const Packet& packet, LocatedPacket& at) {
  // Two VLAN tags, PPPoE, an IP tunnel with GRE, another with VXLAN, and the packet inside make 14
  // steps; real networks do not need twice that.
  constexpr int deepest = 28;
  at = LocatedPacket{.rest = Cursor{packet.bytes(), packet.length}};
  Step step = read_link(at, packet.link);
  for (int depth = 0; step.next() != nullptr; ++depth) {
    if (depth == deepest) return Skip::too_deep;
    step = step.next()(at);
  }
  if (step.is_skipped()) return step.reason();
  return std::nullopt;
}

Step layer_of(EtherType type) {
  switch (type) {
    case EtherType::ipv4:
      return read_ipv4;
    case EtherType::ipv6:
      return read_ipv6;
    case EtherType::vlan:
    case EtherType::provider_vlan:
    case EtherType::old_vlan:
    case EtherType::old_vlan2:
      return read_vlan;
    case EtherType::mpls:
    case EtherType::mpls_multicast:
      return read_mpls;
    case EtherType::pppoe_session:
      return read_pppoe;
    case EtherType::ppp:
      return read_ppp;
    case EtherType::vn_tag:
      return read_tag_of_4;
    case EtherType::provider_backbone:
      return read_service_tag;
    case EtherType::bridge_extension:
      return read_tag_of_6;
    case EtherType::transparent_bridging:
      return read_ethernet;
    case EtherType::arp:
    case EtherType::rarp:
    case EtherType::slow_protocols:
    case EtherType::pppoe_discovery:
    case EtherType::eapol:
    case EtherType::lldp:
    case EtherType::ptp:
    case EtherType::loopback:
      return Skip::not_ip;
    case EtherType::macsec:
      return Skip::encrypted;
    case EtherType::erspan:
    case EtherType::erspan3:
    case EtherType::wccp:
      break;  // only where their carrier is read
  }
  return Skip::unknown_ethertype;
}

Step layer_of(IpProtocol protocol) {
  switch (protocol) {
    case IpProtocol::tcp:
    case IpProtocol::icmp:
    case IpProtocol::icmpv6:
      return Step::arrived();
    case IpProtocol::udp:
      return read_udp;
    case IpProtocol::authentication:
      return read_authentication;
    case IpProtocol::esp:
      return Skip::encrypted;
    case IpProtocol::ip_compression:
      return Skip::compressed;
    default:
      return tunnel_of(protocol);
  }
}

}  // namespace sojourn
