#include "wire/tunnel_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/headers/gre.h"
#include "wire/headers/udp.h"
#include "wire/ip_layer.h"

namespace sojourn {
namespace {

/// VXLAN (RFC 7348 section 5) and Geneve (RFC 8926 section 3.4) have it in the same place.
std::string with_network(std::string_view kind, const Cursor& payload) {
  const auto* word = payload.peek<Be32>(4);
  return word ? fmt::format("{} {}", kind, *word >> 8) : std::string{kind};
}

std::string name_of_gre(const Cursor& payload) {
  const auto* gre = payload.peek<GreHeader>();
  constexpr std::uint16_t erspan = 0x88be, erspan3 = 0x22eb;
  if (!gre) return "gre";
  if (gre->version() == 1) return "pptp";  // its key has a call of either end, and a length
  if (gre->type == erspan || gre->type == erspan3) return "erspan";
  if (!gre->has(GreHeader::has_key)) return "gre";
  const auto* key =
      payload.peek<Be32>(sizeof(GreHeader) + (gre->has(GreHeader::has_checksum) ? 4u : 0u));
  return key ? fmt::format("gre {}", std::uint32_t{*key}) : "gre";
}

std::string name_of_udp(Cursor payload) {
  const auto* udp = payload.take<UdpHeader>();
  if (!udp) return "udp";
  for (const std::uint16_t port :
       {std::uint16_t{udp->destination_port}, std::uint16_t{udp->source_port}}) {
    switch (port) {
      case 4789:
      case 8472:
      case 4790:
        return with_network("vxlan", payload);
      case 6081:
        return with_network("geneve", payload);
      case 2152:
        return "gtp";
      case 1701:
        return "l2tp";
      case 3544:
        return "teredo";
      case 5072:
        return "ayiya";
      case 6635:
        return "mpls";
      default:
        break;
    }
  }
  return "udp";
}

std::string name_of(IpProtocol protocol, const Cursor& payload) {
  switch (protocol) {
    case IpProtocol::ipv4:
    case IpProtocol::ipv6:
      return "ip";
    case IpProtocol::gre:
      return name_of_gre(payload);
    case IpProtocol::udp:
      return name_of_udp(payload);
    case IpProtocol::ether_ip:
    case IpProtocol::ethernet:
      return "ethernet";
    case IpProtocol::mpls:
      return "mpls";
    default:
      return fmt::format("protocol {}", static_cast<unsigned>(protocol));
  }
}

}  // namespace

std::string tunnel_name(const Summary& packet) {
  if (packet.origin == 0) return {};
  if (packet.origin == Summary::far_away) return "tunnels within tunnels";
  const std::byte* const outer = packet.ip - packet.origin;
  Cursor rest{{outer, std::size_t{packet.origin} + packet.ip_captured}};
  const bool is_ipv6 = std::to_integer<unsigned>(*outer) >> 4 == 6;
  IpLayer layer;
  const auto skip = is_ipv6 ? read_ipv6_layer(rest, layer) : read_ipv4_layer(rest, layer);
  if (skip) return "tunnel";
  const auto address = [&](std::size_t v6, std::size_t v4) {
    return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{outer + v6, 16})
                   : IpAddress::v4(std::span<const std::byte, 4>{outer + v4, 4});
  };
  IpAddress low = address(8, 12), high = address(24, 16);
  if (std::ranges::lexicographical_compare(high.bytes(), low.bytes())) std::swap(low, high);
  return fmt::format("{} {} - {}", name_of(layer.protocol, rest), low.to_string(),
                     high.to_string());
}

}  // namespace sojourn
