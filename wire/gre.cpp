// GRE and what only GRE carries: PPTP, ERSPAN, WCCP.

#include "wire/headers/gre.h"

#include "wire/walk.h"

namespace sojourn {
namespace {

/// RFC 2637 section 4.1: the key's upper half is the payload length.
Step read_pptp(LocatedPacket& at, const GreHeader& gre) {
  if (!gre.has(GreHeader::has_key)) return Skip::bad_tunnel;
  const auto* payload = at.rest.take<Be16>();
  if (!payload || !at.rest.skip(2)) return Skip::truncated_tunnel;
  if (!gre.has(GreHeader::has_sequence)) return Skip::not_ip;  // an acknowledgment alone
  const std::size_t more = gre.has(GreHeader::has_acknowledgment) ? 8 : 4;
  if (!at.rest.skip(more)) return Skip::truncated_tunnel;
  if (*payload < at.rest.length()) at.rest.set_length(*payload);
  return read_ppp;
}

Step read_erspan2(LocatedPacket& at) {
  if (!at.rest.skip(erspan2_length)) return Skip::truncated_tunnel;
  return read_ethernet;
}

Step read_erspan3(LocatedPacket& at) {
  const auto* last = at.rest.peek<std::uint8_t>(erspan3_length - 1);
  if (!last || !at.rest.skip(erspan3_length)) return Skip::truncated_tunnel;
  if ((*last & 1u) != 0 && !at.rest.skip(erspan3_subheader)) return Skip::truncated_tunnel;
  return read_ethernet;
}

/// Version 2 of the Web Cache Communication Protocol puts four bytes before the IP header; version
/// 1 does not.
Step read_wccp(LocatedPacket& at) {
  const auto* first = at.rest.peek<std::uint8_t>();
  if (!first) return Skip::truncated_tunnel;
  if (*first >> 4 != 4 && !at.rest.skip(4)) return Skip::truncated_tunnel;
  return read_ipv4;
}

/// The payload's layer, including types that are defined only inside GRE.
Step layer_in_gre(const GreHeader& gre) {
  const auto type = static_cast<EtherType>(std::uint16_t{gre.type});
  if (gre.type == 0) return Skip::not_ip;  // a keep-alive
  switch (type) {
    case EtherType::erspan:
      return gre.has(GreHeader::has_sequence) ? Step{read_erspan2} : Step{read_ethernet};
    case EtherType::erspan3:
      return read_erspan3;
    case EtherType::wccp:
      return read_wccp;
    default:
      return layer_of(type);
  }
}

}  // namespace

Step read_gre(LocatedPacket& at) {
  const auto* gre = at.rest.take<GreHeader>();
  if (!gre) return Skip::truncated_tunnel;
  if (gre->version() == 1) return read_pptp(at, *gre);
  // Source routes were dropped from GRE by RFC 2784.
  if (gre->version() != 0 || gre->has(GreHeader::has_routing)) return Skip::bad_tunnel;
  if (!at.rest.skip(gre->optional_length())) return Skip::truncated_tunnel;
  return layer_in_gre(*gre);
}

}  // namespace sojourn
