// IPv4, IPv6 and its extension headers; UDP, as far as it may be a tunnel.

#include <algorithm>

#include "wire/headers/udp.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

/// This layer is now the innermost one, and its protocol is the transport, until an extension
/// header says otherwise.
Step enter(LocatedPacket& at, const IpLayer& layer, std::optional<Skip> skip) {
  if (layer.ip != nullptr) {
    at.inner = layer;
    at.transport = layer.protocol;
    if (at.outer.ip == nullptr) at.outer = layer;
  }
  return skip ? Step{*skip} : layer_of(layer.protocol);
}

}  // namespace

std::optional<Skip> read_extensions(Cursor& rest, IpLayer& layer) {
  Ipv6Chain chain{rest.captured()};
  const auto end = [&](std::optional<Skip> skip) {
    layer.protocol = chain.number();
    layer.transport_offset =
        static_cast<std::uint32_t>(std::min<std::size_t>(chain.offset(), layer.length));
    return skip;
  };
  while (!chain.too_long()) {
    if (chain.number() == IpProtocol::fragment) {
      const auto* fragment = rest.peek<Ipv6Fragment>(chain.offset());
      if (!fragment) return end(Skip::truncated_ip);
      layer.fragment_offset = static_cast<std::uint16_t>(chain.offset());
      chain.pass(sizeof(Ipv6Fragment));
      layer.later_fragment = fragment->fragment_offset() > 0;
      if (layer.later_fragment) return end(Skip::fragment);
      // RFC 6946: offset 0 and nothing to follow is a whole packet.
      layer.first_fragment = layer.first_fragment || fragment->more_fragments();
    } else if (is_plain_extension(chain.number())) {
      const auto length = chain.length();
      if (!length) return end(Skip::truncated_ip);
      const bool whole = chain.holds(*length);
      chain.pass(*length);
      if (!whole) return end(Skip::truncated_ip);
    } else {
      if (chain.number() == IpProtocol::no_next) return end(Skip::not_paired);
      if (!rest.skip(chain.offset())) return end(Skip::truncated_ip);
      return end(std::nullopt);
    }
  }
  return end(Skip::too_deep);
}

Step read_any_ip(LocatedPacket& at) {
  const auto* first = at.rest.peek<std::uint8_t>();
  if (!first) return Skip::truncated_ip;
  switch (*first >> 4) {
    case 4:
      return read_ipv4;
    case 6:
      return read_ipv6;
    default:
      return Skip::bad_ip_version;
  }
}

Step read_ipv4(LocatedPacket& at) {
  IpLayer layer;
  const auto skip = read_ipv4_layer(at.rest, layer);
  return enter(at, layer, skip);
}

Step read_ipv6(LocatedPacket& at) {
  IpLayer layer;
  const auto skip = read_ipv6_layer(at.rest, layer);
  return enter(at, layer, skip);
}

Step read_authentication(LocatedPacket& at) {
  const auto protected_by_it = take_authentication(at.rest);
  if (!protected_by_it) return Skip::truncated_ip;
  at.transport = *protected_by_it;
  return layer_of(at.transport);
}

Step read_udp(LocatedPacket& at) {
  const auto* udp = at.rest.take<UdpHeader>();
  if (!udp) return Skip::truncated_transport;
  std::size_t stated = at.rest.length();
  if (udp->length > 0) {
    if (udp->length < sizeof(UdpHeader)) return Skip::bad_udp_length;
    // A first fragment states the whole datagram's length; the IP length is this packet's.
    stated = udp->length - sizeof(UdpHeader);
    if (stated < at.rest.length()) at.rest.set_length(stated);
  }
  at.source_port = udp->source_port;
  at.destination_port = udp->destination_port;
  if (const auto tunnel = udp_tunnel(at.rest, stated, at.source_port, at.destination_port))
    return tunnel;
  return Step::arrived();
}

}  // namespace sojourn
