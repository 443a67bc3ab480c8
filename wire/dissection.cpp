#include "wire/dissection.h"

#include <algorithm>

namespace sojourn {
namespace {

Step read(Layer layer, Dissection& at) {
  switch (layer) {
    case Layer::ethernet:
      return read_ethernet(at);
    case Layer::vlan:
      return read_vlan(at);
    case Layer::llc:
      return read_llc(at);
    case Layer::mpls:
      return read_mpls(at);
    case Layer::pppoe:
      return read_pppoe(at);
    case Layer::ppp:
      return read_ppp(at);
    case Layer::tag_of_4:
      return read_tag(at, 4);
    case Layer::tag_of_6:
      return read_tag(at, 6);
    case Layer::service_tag:
      return read_service_tag(at);
    case Layer::any_ip:
      return read_any_ip(at);
    case Layer::ipv4:
      return read_ipv4(at);
    case Layer::ipv6:
      return read_ipv6(at);
    case Layer::gre:
      return read_gre(at);
    case Layer::ether_ip:
      return read_ether_ip(at);
    case Layer::erspan2:
      return read_erspan2(at);
    case Layer::erspan3:
      return read_erspan3(at);
    case Layer::wccp:
      return read_wccp(at);
    case Layer::vxlan:
      return read_vxlan(at);
    case Layer::geneve:
      return read_geneve(at);
    case Layer::gtp:
      return read_gtp(at);
    case Layer::l2tp:
      return read_l2tp(at);
    case Layer::teredo:
      return read_teredo(at);
    case Layer::ayiya:
      return read_ayiya(at);
    case Layer::tcp:
      return read_tcp(at);
    case Layer::udp:
      return read_udp(at);
    case Layer::icmp:
      return read_icmp(at);
    case Layer::icmpv6:
      return read_icmpv6(at);
  }
  return Skip::too_deep;  // unreachable: the switch is complete
}

/// From the link header on, until a layer is the last or cannot be read.
Step walk(Dissection& at, LinkType link) {
  // Two VLAN tags, PPPoE, an IP tunnel with GRE, another with VXLAN, and the packet in it make 14
  // steps; twice that is nobody's network.
  constexpr int deepest = 28;
  Step step = read_link(at, link);
  for (int depth = 0; step.what == Step::What::next; ++depth) {
    if (depth == deepest) return Skip::too_deep;
    step = read(step.layer, at);
  }
  return step;
}

}  // namespace

std::optional<Skip> dissect(const Packet& packet, const HashKey& key, const Wanted& wanted,
                            Summary& summary) {
  Dissection at{.cursor = Cursor{packet.bytes(), packet.length},
                .key = key,
                .wanted = wanted,
                .summary = summary};
  summary = Summary{.time = packet.time};
  const Step step = walk(at, packet.link);
  if (step.what == Step::What::skipped) return step.reason;
  return std::nullopt;
}

std::expected<const std::byte*, Skip> innermost_ip(const Packet& packet, const HashKey& key) {
  static constexpr Wanted nothing{KindSet::none()};
  Summary unused;
  Dissection at{.cursor = Cursor{packet.bytes(), packet.length},
                .key = key,
                .wanted = nothing,
                .summary = unused};
  const Step step = walk(at, packet.link);
  if (at.ip) return at.ip;
  return std::unexpected(step.reason);
}

std::expected<OuterIp, Skip> outermost_ip(const Packet& packet, const HashKey& key) {
  static constexpr Wanted nothing{KindSet::none()};
  Summary unused;
  Dissection at{.cursor = Cursor{packet.bytes(), packet.length},
                .key = key,
                .wanted = nothing,
                .summary = unused};
  OuterIp outer;
  constexpr int deepest = 28;
  Step step = read_link(at, packet.link);
  for (int depth = 0; step.what == Step::What::next && depth < deepest; ++depth) {
    outer.length_below |= step.layer == Layer::pppoe || step.layer == Layer::llc;
    if (step.layer == Layer::any_ip || step.layer == Layer::ipv4 || step.layer == Layer::ipv6) {
      outer.ip = at.cursor.data();
      return outer;
    }
    step = read(step.layer, at);
  }
  return std::unexpected(step.what == Step::What::skipped ? step.reason : Skip::too_deep);
}

Step layer_of(EtherType type) {
  switch (type) {
    case EtherType::ipv4:
      return Layer::ipv4;
    case EtherType::ipv6:
      return Layer::ipv6;
    case EtherType::vlan:
    case EtherType::provider_vlan:
    case EtherType::old_vlan:
    case EtherType::old_vlan2:
      return Layer::vlan;
    case EtherType::mpls:
    case EtherType::mpls_multicast:
      return Layer::mpls;
    case EtherType::pppoe_session:
      return Layer::pppoe;
    case EtherType::ppp:
      return Layer::ppp;
    case EtherType::vn_tag:
      return Layer::tag_of_4;
    case EtherType::provider_backbone:
      return Layer::service_tag;
    case EtherType::bridge_extension:
      return Layer::tag_of_6;
    case EtherType::transparent_bridging:
      return Layer::ethernet;
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
      return Layer::tcp;
    case IpProtocol::udp:
      return Layer::udp;
    case IpProtocol::icmp:
      return Layer::icmp;
    case IpProtocol::icmpv6:
      return Layer::icmpv6;
    case IpProtocol::ipv4:
      return Layer::ipv4;
    case IpProtocol::ipv6:
      return Layer::ipv6;
    case IpProtocol::gre:
      return Layer::gre;
    case IpProtocol::ether_ip:
      return Layer::ether_ip;
    case IpProtocol::mpls:
      return Layer::mpls;
    case IpProtocol::ethernet:
      return Layer::ethernet;
    case IpProtocol::esp:
      return Skip::encrypted;
    case IpProtocol::ip_compression:
      return Skip::compressed;
    default:
      return Skip::unknown_protocol;
  }
}

}  // namespace sojourn
