// The registry of tunnels: what IP and UDP may carry that holds another packet.
//
// To add a tunnel over UDP: its header, how to recognise it, how to read it, and a row with its
// name in `udp_tunnels` at the end.  Longer ones have their own file.

#include <algorithm>
#include <array>

#include "wire/headers/gre.h"
#include "wire/headers/mpls.h"
#include "wire/headers/ppp.h"
#include "wire/tunnel_gtp.h"
#include "wire/tunnel_likeness.h"
#include "wire/tunnel_teredo.h"
#include "wire/tunnel_vxlan.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

/// RFC 8926 section 3.4; options, then a payload of the EtherType given.
struct GeneveHeader {
  std::uint8_t version_and_options;  // 2 bits; options' length in 32-bit words
  std::uint8_t flags;                // control, critical, reserved (6)
  Be16 type;
  std::uint8_t identifier[3];
  std::uint8_t reserved;

  std::size_t options_length() const { return (version_and_options & 0x3fu) * 4u; }
};
static_assert(sizeof(GeneveHeader) == 8);

Step read_geneve(LocatedPacket& at) {
  const auto* header = at.rest.take<GeneveHeader>();
  if (!header || !at.rest.skip(header->options_length())) return Skip::truncated_tunnel;
  return layer_of(static_cast<EtherType>(std::uint16_t{header->type}));
}

Likeness likeness_of_geneve(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(GeneveHeader))) return Likeness::header;
  const auto* header = suspect.payload.peek<GeneveHeader>();
  if (!header || header->version_and_options >> 6 != 0 || header->type < first_ether_type)
    return Likeness::none;
  const std::size_t behind = sizeof(GeneveHeader) + header->options_length();
  if (suspect.stated < behind) return Likeness::none;
  const Likeness untouched = header_if((header->flags & 0x3fu) == 0 && header->reserved == 0);
  switch (static_cast<EtherType>(std::uint16_t{header->type})) {
    case EtherType::ipv4:
      return std::max(untouched, likeness_of_ipv4(suspect, behind));
    case EtherType::ipv6:
      return std::max(untouched, likeness_of_ipv6(suspect, behind));
    case EtherType::transparent_bridging:
      return std::max(untouched, likeness_of_frame(suspect, behind));
    default:
      return untouched;
  }
}

/// PPP (RFC 1661) that should be at an offset.
Likeness likeness_of_ppp(const Suspect& suspect, std::size_t offset) {
  constexpr std::size_t framing_and_protocol = 4;
  if (suspect.is_cut(offset, framing_and_protocol)) return Likeness::header;
  const auto* framing = suspect.payload.peek<Be16>(offset);
  if (framing && *framing == 0xff03u) offset += sizeof(Be16);
  const auto* first = suspect.payload.peek<std::uint8_t>(offset++);
  if (!first) return Likeness::none;
  std::uint16_t protocol = *first;
  if ((*first & 1u) == 0) {  // of two bytes the second is odd (section 2)
    const auto* second = suspect.payload.peek<std::uint8_t>(offset++);
    if (!second || (*second & 1u) == 0) return Likeness::none;
    protocol = static_cast<std::uint16_t>(protocol << 8 | *second);
  }
  switch (static_cast<PppProtocol>(protocol)) {
    case PppProtocol::ipv4:
      return likeness_of_ipv4(suspect, offset);
    case PppProtocol::ipv6:
      return likeness_of_ipv6(suspect, offset);
    default:
      return Likeness::header;
  }
}

/// L2TP, RFC 2661 section 3.1: only the fields that say which others follow.
struct L2tpHeader {
  Be16 flags;

  static constexpr std::uint16_t control = 0x8000, has_length = 0x4000, has_sequence = 0x0800,
                                 has_offset = 0x0200, reserved = 0x34f0, version = 0x000f;
  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(L2tpHeader) == 2);

/// On to the PPP frame; false if the capture ends before.
bool skip_l2tp_header(Cursor& rest) {
  const auto* header = rest.take<L2tpHeader>();
  if (!header) return false;
  constexpr std::size_t tunnel_and_session = 4, sequence = 4;
  std::size_t fields = tunnel_and_session;
  if (header->has(L2tpHeader::has_length)) fields += 2;
  if (header->has(L2tpHeader::has_sequence)) fields += sequence;
  if (!rest.skip(fields)) return false;
  if (!header->has(L2tpHeader::has_offset)) return true;
  const auto* padding = rest.take<Be16>();
  return padding && rest.skip(*padding);
}

Step read_l2tp(LocatedPacket& at) {
  const auto* header = at.rest.peek<L2tpHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->has(L2tpHeader::control)) return Skip::not_ip;
  return skip_l2tp_header(at.rest) ? Step{read_ppp} : Step{Skip::truncated_tunnel};
}

/// RFC 2661 section 3.1: a control message has a length and sequence numbers, and no more.  Its
/// first attribute is its type (section 4.4.1), unless it only acknowledges.
Likeness likeness_of_l2tp_control(const Suspect& suspect) {
  constexpr std::size_t header = 12, attribute = 6;
  constexpr std::uint16_t length = 0x03ff, length_of_type = 8;
  if (suspect.stated == header) return Likeness::certain;
  if (suspect.is_cut(header, attribute)) return Likeness::header;
  const auto* flags = suspect.payload.peek<Be16>(header);
  const auto* vendor_and_type = suspect.payload.peek<Be32>(header + sizeof(Be16));
  return certain_if(flags && (*flags & length) == length_of_type && vendor_and_type &&
                    *vendor_and_type == 0);
}

Likeness likeness_of_l2tp(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(L2tpHeader) + sizeof(Be16))) return Likeness::header;
  const auto* header = suspect.payload.peek<L2tpHeader>();
  if (!header || (header->flags & L2tpHeader::version) != 2 || header->has(L2tpHeader::reserved))
    return Likeness::none;
  Likeness by_length = Likeness::certain;  // where it is left out
  if (header->has(L2tpHeader::has_length)) {
    const auto* length = suspect.payload.peek<Be16>(sizeof(L2tpHeader));
    by_length = length ? likeness_of_end(suspect, *length) : Likeness::none;
  }
  if (header->has(L2tpHeader::control)) {
    constexpr std::uint16_t flags =
        L2tpHeader::control | L2tpHeader::has_length | L2tpHeader::has_sequence | 2;
    return header->flags == flags && by_length == Likeness::certain
               ? likeness_of_l2tp_control(suspect)
               : Likeness::none;
  }
  Cursor rest = suspect.payload;
  if (!skip_l2tp_header(rest))
    return std::min(by_length, header_if(rest.length() > rest.captured().size()));
  return std::min(by_length, likeness_of_ppp(suspect, suspect.payload.length() - rest.length()));
}

/// RFC 7510: labels, then what they carry, as read_mpls() tells it.  A label itself has no value
/// that it may not have, so only the packet behind the labels can be recognised.
Likeness likeness_of_mpls(const Suspect& suspect) {
  constexpr std::size_t longest_stack = 16 * sizeof(MplsLabel);
  for (std::size_t offset = 0; offset < longest_stack; offset += sizeof(MplsLabel)) {
    const auto* label = suspect.payload.peek<MplsLabel>(offset);
    if (!label) return header_if(suspect.is_cut(offset, sizeof(MplsLabel)));
    if (!label->bottom()) continue;
    const std::size_t behind = offset + sizeof(MplsLabel);
    const auto* first = suspect.payload.peek<std::uint8_t>(behind);
    if (!first) return header_if(suspect.is_cut(behind, 1));
    constexpr std::size_t control_word = 4;
    const unsigned nibble = *first >> 4;
    // An EtherType is one number of many, at one of two places: no more than a header.
    const bool is_frame =
        (nibble == 0 && likeness_of_frame(suspect, behind + control_word) > Likeness::none) ||
        likeness_of_frame(suspect, behind) > Likeness::none;
    return std::max({header_if(is_frame), likeness_of_ipv4(suspect, behind),
                     likeness_of_ipv6(suspect, behind)});
  }
  return Likeness::none;
}

/// RFC 3378: two bytes, version 3.
Step read_ether_ip(LocatedPacket& at) {
  const auto* header = at.rest.take<Be16>();
  if (!header) return Skip::truncated_tunnel;
  if (*header >> 12 != 3) return Skip::bad_tunnel;
  return read_ethernet;
}

/// VXLAN (RFC 7348 section 5) and Geneve (RFC 8926 section 3.4) have it in the same place.
void add_network(const Cursor& payload, TunnelKind& kind) {
  if (const auto* word = payload.peek<Be32>(4)) kind.identifier = *word >> 8;
}

void tell_gre_apart(const Cursor& payload, TunnelKind& kind) {
  const auto* gre = payload.peek<GreHeader>();
  if (!gre) return;
  const auto type = static_cast<EtherType>(std::uint16_t{gre->type});
  if (gre->version() == 1) {
    kind.name = "pptp";  // its key has a call of either end, and a length
  } else if (type == EtherType::erspan || type == EtherType::erspan3) {
    kind.name = "erspan";
  } else if (gre->has(GreHeader::has_key)) {
    const std::size_t checksum = gre->has(GreHeader::has_checksum) ? 4 : 0;
    if (const auto* key = payload.peek<Be32>(sizeof(GreHeader) + checksum)) kind.identifier = *key;
  }
}

/// Adds what only the tunnel's header says.
using Detail = void (*)(const Cursor& payload, TunnelKind& kind);

struct IpTunnel {
  IpProtocol protocol;
  std::string_view name;
  Step::Reader read;
  Detail detail = nullptr;
};
constexpr std::array ip_tunnels{
    IpTunnel{IpProtocol::ipv4, "ip", read_ipv4},
    IpTunnel{IpProtocol::ipv6, "ip", read_ipv6},
    IpTunnel{IpProtocol::gre, "gre", read_gre, tell_gre_apart},
    IpTunnel{IpProtocol::ether_ip, "ethernet", read_ether_ip},
    IpTunnel{IpProtocol::mpls, "mpls", read_mpls},
    IpTunnel{IpProtocol::ethernet, "ethernet", read_ethernet},
};

/// Which of the two ports identifies the tunnel.  If the source port is random by design, only the
/// destination port can.
enum class Ends : std::uint8_t { destination, either };

struct UdpTunnel {
  std::uint16_t port;
  Ends ends;
  std::string_view name;
  Likeness (*likeness)(const Suspect&);
  Step::Reader read;
  Detail detail = nullptr;
};
constexpr std::array udp_tunnels{
    UdpTunnel{4789, Ends::destination, "vxlan", likeness_of_vxlan, read_vxlan, add_network},
    // Linux before VXLAN had a port
    UdpTunnel{8472, Ends::destination, "vxlan", likeness_of_vxlan, read_vxlan, add_network},
    // VXLAN-GPE
    UdpTunnel{4790, Ends::destination, "vxlan", likeness_of_vxlan, read_vxlan, add_network},
    UdpTunnel{6081, Ends::destination, "geneve", likeness_of_geneve, read_geneve, add_network},
    UdpTunnel{2152, Ends::either, "gtp", likeness_of_gtp, read_gtp},
    UdpTunnel{1701, Ends::either, "l2tp", likeness_of_l2tp, read_l2tp},
    UdpTunnel{3544, Ends::either, "teredo", likeness_of_teredo, read_teredo},
    UdpTunnel{5072, Ends::either, "ayiya", likeness_of_ayiya, read_ayiya},
    UdpTunnel{6635, Ends::destination, "mpls", likeness_of_mpls, read_mpls},
};

/// A tunnel is named by its reader, so rows with the same reader need the same name.
template <class Left, class Right>
constexpr bool agree_on_names(const Left& left, const Right& right) {
  return std::ranges::all_of(left, [&](const auto& row) {
    return !row.name.empty() && std::ranges::all_of(right, [&](const auto& other) {
      return row.read != other.read || (row.name == other.name && row.detail == other.detail);
    });
  });
}
static_assert(agree_on_names(ip_tunnels, ip_tunnels) && agree_on_names(ip_tunnels, udp_tunnels) &&
              agree_on_names(udp_tunnels, udp_tunnels));

template <class Rows>
std::optional<TunnelKind> kind_in(const Rows& rows, Step::Reader reader, const Cursor& payload) {
  for (const auto& row : rows) {
    if (row.read != reader) continue;
    TunnelKind kind{row.name, std::nullopt};
    if (row.detail) row.detail(payload, kind);
    return kind;
  }
  return std::nullopt;
}

}  // namespace

Step tunnel_of(IpProtocol protocol) {
  const auto* const found = std::ranges::find(ip_tunnels, protocol, &IpTunnel::protocol);
  return found == ip_tunnels.end() ? Step{Skip::unknown_protocol} : Step{found->read};
}

bool may_be_udp_tunnel(std::uint16_t port) {
  return std::ranges::find(udp_tunnels, port, &UdpTunnel::port) != udp_tunnels.end();
}

Step::Reader udp_tunnel(const Cursor& payload, std::size_t stated, std::uint16_t source_port,
                        std::uint16_t destination_port) {
  for (const UdpTunnel& tunnel : udp_tunnels) {
    const bool to = destination_port == tunnel.port;
    if (!to && (tunnel.ends == Ends::destination || source_port != tunnel.port)) continue;
    // A server on a well-known port also answers clients whose ephemeral port is in this list; then
    // the header alone is not enough.
    constexpr std::uint16_t first_unprivileged = 1024;
    const std::uint16_t other = to ? source_port : destination_port;
    const Likeness enough = other < first_unprivileged ? Likeness::certain : Likeness::header;
    if (tunnel.likeness({payload, stated}) >= enough) return tunnel.read;
  }
  return nullptr;
}

std::optional<TunnelKind> tunnel_kind(Step::Reader reader, const Cursor& payload) {
  const auto kind = kind_in(ip_tunnels, reader, payload);
  return kind ? kind : kind_in(udp_tunnels, reader, payload);
}

}  // namespace sojourn
