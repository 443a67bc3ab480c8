// The registry of tunnels: what IP and UDP may carry that holds another packet.
//
// To add a tunnel over UDP: its header, how to recognise it, how to read it, and a row with its
// name in `udp_tunnels` at the end.  Longer ones have their own file.

#include <algorithm>
#include <array>

#include "wire/headers/gre.h"
#include "wire/headers/mpls.h"
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

/// L2TP, RFC 2661 section 3.1: only the fields that say which others follow.
struct L2tpHeader {
  Be16 flags;

  static constexpr std::uint16_t control = 0x8000, has_length = 0x4000, has_sequence = 0x0800,
                                 has_offset = 0x0200, reserved = 0x34f0, version = 0x000f;
  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(L2tpHeader) == 2);

Step read_l2tp(LocatedPacket& at) {
  const auto* header = at.rest.take<L2tpHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->has(L2tpHeader::control)) return Skip::not_ip;
  constexpr std::size_t tunnel_and_session = 4, sequence = 4;
  std::size_t fields = tunnel_and_session;
  if (header->has(L2tpHeader::has_length)) fields += 2;
  if (header->has(L2tpHeader::has_sequence)) fields += sequence;
  if (!at.rest.skip(fields)) return Skip::truncated_tunnel;
  if (header->has(L2tpHeader::has_offset)) {
    const auto* padding = at.rest.take<Be16>();
    if (!padding || !at.rest.skip(*padding)) return Skip::truncated_tunnel;
  }
  return read_ppp;
}

Likeness likeness_of_l2tp(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(L2tpHeader))) return Likeness::header;
  const auto* header = suspect.payload.peek<L2tpHeader>();
  if (!header || (header->flags & L2tpHeader::version) != 2 || header->has(L2tpHeader::reserved))
    return Likeness::none;
  if (!header->has(L2tpHeader::has_length))  // a control message always has it
    return header_if(!header->has(L2tpHeader::control));
  const auto* length = suspect.payload.peek<Be16>(sizeof(L2tpHeader));
  return length && *length == suspect.stated ? Likeness::certain : Likeness::header;
}

/// RFC 7510: labels, then what they carry.
Likeness likeness_of_mpls(const Suspect& suspect) {
  constexpr std::size_t longest_stack = 16 * sizeof(MplsLabel);
  for (std::size_t offset = 0; offset < longest_stack; offset += sizeof(MplsLabel)) {
    const auto* label = suspect.payload.peek<MplsLabel>(offset);
    if (!label) return header_if(suspect.is_cut(offset, sizeof(MplsLabel)));
    if (!label->bottom()) continue;
    const std::size_t behind = offset + sizeof(MplsLabel);
    const auto* ip = suspect.payload.peek<Ipv4Header>(behind);
    const bool fits = ip && behind + ip->total_length <= suspect.stated;
    return std::max({Likeness::header, likeness_of_ipv6(suspect, behind),
                     fits ? likeness_of_ipv4(suspect, behind) : Likeness::header});
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
