// Tunnels over IP and over UDP.

#include "wire/dissection.h"
#include "wire/headers/gre.h"
#include "wire/headers/udp_tunnels.h"

namespace sojourn {
namespace {

/// RFC 2637 section 4.1: the key's upper half is the payload length.
Step read_pptp(Dissection& at, const GreHeader& gre) {
  if (!gre.has(GreHeader::has_key)) return Skip::bad_tunnel;
  const auto* payload = at.cursor.take<Be16>();
  if (!payload || !at.cursor.skip(2)) return Skip::truncated_tunnel;
  if (!gre.has(GreHeader::has_sequence)) return Skip::not_ip;  // an acknowledgment alone
  const std::size_t more = gre.has(GreHeader::has_acknowledgment) ? 8 : 4;
  if (!at.cursor.skip(more)) return Skip::truncated_tunnel;
  if (*payload < at.cursor.length()) at.cursor.set_length(*payload);
  return Layer::ppp;
}

/// The payload's layer, counting the types that have a meaning only inside GRE.
Step layer_in_gre(const GreHeader& gre) {
  const auto type = static_cast<EtherType>(std::uint16_t{gre.type});
  if (gre.type == 0) return Skip::not_ip;  // a keep-alive
  switch (type) {
    case EtherType::erspan:
      return gre.has(GreHeader::has_sequence) ? Layer::erspan2 : Layer::ethernet;
    case EtherType::erspan3:
      return Layer::erspan3;
    case EtherType::wccp:
      return Layer::wccp;
    default:
      return layer_of(type);
  }
}

}  // namespace

Step read_gre(Dissection& at) {
  const auto* gre = at.cursor.take<GreHeader>();
  if (!gre) return Skip::truncated_tunnel;
  if (gre->version() == 1) return read_pptp(at, *gre);
  // Source routes were dropped from GRE by RFC 2784.
  if (gre->version() != 0 || gre->has(GreHeader::has_routing)) return Skip::bad_tunnel;
  if (!at.cursor.skip(gre->optional_length())) return Skip::truncated_tunnel;
  return layer_in_gre(*gre);
}

/// RFC 3378: two bytes, version 3.
Step read_ether_ip(Dissection& at) {
  const auto* header = at.cursor.take<Be16>();
  if (!header) return Skip::truncated_tunnel;
  if (*header >> 12 != 3) return Skip::bad_tunnel;
  return Layer::ethernet;
}

Step read_erspan2(Dissection& at) {
  if (!at.cursor.skip(erspan2_length)) return Skip::truncated_tunnel;
  return Layer::ethernet;
}

Step read_erspan3(Dissection& at) {
  const auto* last = at.cursor.peek<std::uint8_t>(erspan3_length - 1);
  if (!last || !at.cursor.skip(erspan3_length)) return Skip::truncated_tunnel;
  if ((*last & 1u) != 0 && !at.cursor.skip(erspan3_subheader)) return Skip::truncated_tunnel;
  return Layer::ethernet;
}

/// Version 2 of the Web Cache Communication Protocol puts four bytes before the IP header; version
/// 1 does not.
Step read_wccp(Dissection& at) {
  const auto* first = at.cursor.peek<std::uint8_t>();
  if (!first) return Skip::truncated_tunnel;
  if (*first >> 4 != 4 && !at.cursor.skip(4)) return Skip::truncated_tunnel;
  return Layer::ipv4;
}

Step read_vxlan(Dissection& at) {
  if (!at.cursor.take<VxlanHeader>()) return Skip::truncated_tunnel;
  return Layer::ethernet;
}

Step read_geneve(Dissection& at) {
  const auto* header = at.cursor.take<GeneveHeader>();
  if (!header || !at.cursor.skip(header->options_length())) return Skip::truncated_tunnel;
  return layer_of(static_cast<EtherType>(std::uint16_t{header->type}));
}

Step read_gtp(Dissection& at) {
  const auto* header = at.cursor.take<GtpHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->message != GtpHeader::user_data) return Skip::not_ip;
  if (header->has_optional()) {
    const auto* optional = at.cursor.take<GtpOptional>();
    if (!optional) return Skip::truncated_tunnel;
    // 3GPP TS 29.281 section 5.2: length in units of four bytes first, next type last.
    constexpr int longest_chain = 8;
    std::uint8_t next = header->has_extension() ? optional->next_extension : 0;
    for (int extensions = 0; next != 0; ++extensions) {
      if (extensions == longest_chain) return Skip::too_deep;
      const auto* words = at.cursor.peek<std::uint8_t>();
      if (!words) return Skip::truncated_tunnel;
      if (*words == 0) return Skip::bad_tunnel;
      const auto* last = at.cursor.peek<std::uint8_t>(*words * 4u - 1u);
      if (!last || !at.cursor.skip(*words * 4u)) return Skip::truncated_tunnel;
      next = *last;
    }
  }
  return Layer::any_ip;
}

Step read_l2tp(Dissection& at) {
  const auto* header = at.cursor.take<L2tpFlags>();
  if (!header) return Skip::truncated_tunnel;
  if (header->has(L2tpFlags::control)) return Skip::not_ip;
  constexpr std::size_t tunnel_and_session = 4, sequence = 4;
  std::size_t fields = tunnel_and_session;
  if (header->has(L2tpFlags::has_length)) fields += 2;
  if (header->has(L2tpFlags::has_sequence)) fields += sequence;
  if (!at.cursor.skip(fields)) return Skip::truncated_tunnel;
  if (header->has(L2tpFlags::has_offset)) {
    const auto* padding = at.cursor.take<Be16>();
    if (!padding || !at.cursor.skip(*padding)) return Skip::truncated_tunnel;
  }
  return Layer::ppp;
}

Step read_ayiya(Dissection& at) {
  const auto* header = at.cursor.take<AyiyaHeader>();
  if (!header || !at.cursor.skip(header->variable_length())) return Skip::truncated_tunnel;
  if (header->next_header == IpProtocol::no_next) return Skip::not_ip;
  if (header->next_header != IpProtocol::ipv6 && header->next_header != IpProtocol::ipv4)
    return Skip::not_paired;  // the port, but not the protocol
  return layer_of(header->next_header);
}

Step read_teredo(Dissection& at) {
  const auto* indication = at.cursor.peek<TeredoIndication>();
  if (indication && indication->zero == 0 && indication->kind == TeredoIndication::authentication) {
    const auto *client = at.cursor.peek<std::uint8_t>(2), *value = at.cursor.peek<std::uint8_t>(3);
    if (!client || !value ||
        !at.cursor.skip(TeredoIndication::authentication_length + *client + *value))
      return Skip::truncated_tunnel;
    indication = at.cursor.peek<TeredoIndication>();
  }
  if (indication && indication->zero == 0 && indication->kind == TeredoIndication::origin &&
      !at.cursor.skip(TeredoIndication::origin_length))
    return Skip::truncated_tunnel;
  const auto* first = at.cursor.peek<std::uint8_t>();
  if (!first) return Skip::truncated_tunnel;
  if (*first >> 4 != 6) return Skip::not_paired;  // the port, but not the protocol
  return Layer::ipv6;
}

}  // namespace sojourn
