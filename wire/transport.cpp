// TCP, UDP and what it carries, ICMP.

#include <algorithm>
#include <limits>

#include "wire/dissection.h"
#include "wire/flow_hash.h"
#include "wire/headers/dns.h"
#include "wire/headers/icmp.h"
#include "wire/headers/mpls.h"
#include "wire/headers/ntp.h"
#include "wire/headers/quic.h"
#include "wire/headers/tcp.h"
#include "wire/headers/udp.h"
#include "wire/headers/udp_tunnels.h"

namespace sojourn {
namespace {

/// Completes the summary: the cursor stands at the transport payload.
Step finish(Dissection& at, Content content, std::uint16_t source_port,
            std::uint16_t destination_port) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  Summary& summary = at.summary;
  const FlowHash hash =
      at.is_ipv6 ? hash_ipv6(at.key, at.ip + 8, source_port, destination_port, at.protocol)
                 : hash_ipv4(at.key, load_network<std::uint32_t>(at.ip + 12),
                             load_network<std::uint32_t>(at.ip + 16), source_port, destination_port,
                             at.protocol);
  summary.flow = hash.flow;
  summary.source_is_low = hash.source_is_low;
  summary.ip = at.ip;
  summary.ip_captured = static_cast<std::uint16_t>(std::min(at.ip_captured, most));
  summary.payload_offset = static_cast<std::uint16_t>(at.cursor.data() - at.ip);
  summary.payload = static_cast<std::uint32_t>(at.cursor.length());
  summary.source_port = source_port;
  summary.destination_port = destination_port;
  summary.vlan = at.vlan;
  summary.content = content;
  summary.is_ipv6 = at.is_ipv6;
  summary.first_fragment = at.first_fragment;
  return Step::done();
}

/// A header that does not fit its port is not a tunnel: the port may just be somebody's ephemeral
/// one.  A header that was cut off gets the benefit of the doubt, and its reader counts the cut.
template <class Header>
bool announces(const Cursor& payload) {
  const auto* header = payload.peek<Header>();
  return header ? header->plausible() : payload.length() >= sizeof(Header);
}

std::optional<Layer> udp_tunnel(const Cursor& payload, std::uint16_t source_port,
                                std::uint16_t destination_port) {
  const auto to = [&](std::uint16_t port) { return destination_port == port; };
  const auto either = [&](std::uint16_t port) { return source_port == port || to(port); };
  if (to(VxlanHeader::port) || to(VxlanHeader::linux_port)) {
    if (announces<VxlanHeader>(payload)) return Layer::vxlan;
  } else if (to(GeneveHeader::port)) {
    if (announces<GeneveHeader>(payload)) return Layer::geneve;
  } else if (either(GtpHeader::port)) {
    if (announces<GtpHeader>(payload)) return Layer::gtp;
  } else if (either(L2tpFlags::port)) {
    if (announces<L2tpFlags>(payload)) return Layer::l2tp;
  } else if (either(TeredoIndication::port)) {
    return Layer::teredo;
  } else if (either(AyiyaHeader::port)) {
    if (announces<AyiyaHeader>(payload)) return Layer::ayiya;
  } else if (to(mpls_udp_port)) {
    return Layer::mpls;
  }
  return std::nullopt;
}

/// Protocols whose packets could pass for a QUIC short header and that are never QUIC.
constexpr bool is_never_quic(std::uint16_t port) {
  switch (port) {
    case 67:
    case 68:
    case 69:  // DHCP, TFTP
    case 88:
    case 137:
    case 138:  // Kerberos, NetBIOS
    case 161:
    case 162:  // SNMP
    case 389:
    case 500:
    case 4500:  // CLDAP, IKE and ESP in UDP
    case 514:
    case 520:
    case 546:
    case 547:  // syslog, RIP, DHCPv6
    case 1812:
    case 1813:
    case 1900:  // RADIUS, SSDP
    case 2055:
    case 4739:
    case 6343:  // NetFlow, IPFIX, sFlow
    case 3478:
    case 3702:
    case 5060:  // STUN and TURN channels, WS-Discovery, SIP
    case 5353:
    case 5355:
      return true;  // multicast DNS, LLMNR
    default:
      return false;
  }
}

Step read_dns(Dissection& at, const UdpHeader& udp) {
  if (!at.wanted.dns) return Skip::not_wanted;
  if (at.cursor.captured().size() < sizeof(DnsHeader) && at.cursor.length() >= sizeof(DnsHeader))
    return Skip::truncated_transport;
  const auto message = parse_dns_message(at.cursor.captured());
  if (!message) return Skip::not_paired;
  at.summary.set_token(message->token);
  return finish(at, message->response ? Content::dns_response : Content::dns_query, udp.source_port,
                udp.destination_port);
}

Step read_ntp(Dissection& at, const UdpHeader& udp) {
  if (!at.wanted.ntp) return Skip::not_wanted;
  if (at.cursor.length() < sizeof(NtpHeader)) return Skip::not_paired;
  const auto* ntp = at.cursor.peek<NtpHeader>();
  if (!ntp) return Skip::truncated_transport;
  const bool request = is_ntp_request(ntp->mode());
  if (!request && !is_ntp_response(ntp->mode())) return Skip::not_paired;
  at.summary.set_token(request ? ntp->transmit : ntp->originate);
  return finish(at, request ? Content::ntp_request : Content::ntp_response, udp.source_port,
                udp.destination_port);
}

Step read_quic(Dissection& at, const UdpHeader& udp) {
  if (!at.wanted.quic || is_never_quic(udp.source_port) || is_never_quic(udp.destination_port))
    return Skip::not_paired;
  if (at.cursor.captured().empty() && at.cursor.length() > 0) return Skip::truncated_transport;
  const auto quic = glance_at_quic(at.cursor.captured(), at.cursor.length());
  if (!quic) return Skip::not_paired;
  at.summary.quic_initial = quic->initial;
  at.summary.quic_spin = quic->spin;
  return finish(at, quic->long_header ? Content::quic_long : Content::quic_short, udp.source_port,
                udp.destination_port);
}

Step read_echo(Dissection& at, std::uint8_t request, std::uint8_t reply) {
  if (!at.wanted.icmp) return Skip::not_wanted;
  const auto* type = at.cursor.peek<std::uint8_t>();
  if (!type) return Skip::truncated_transport;
  // Errors quote the packet they complain about.  That packet was not sent here and now.
  if (*type != request && *type != reply) return Skip::not_paired;
  const auto* echo = at.cursor.take<IcmpEcho>();
  if (!echo) return Skip::truncated_transport;
  at.summary.set_token(echo->token());
  return finish(at, *type == request ? Content::icmp_request : Content::icmp_reply, 0, 0);
}

}  // namespace

Step read_tcp(Dissection& at) {
  const auto* tcp = at.cursor.peek<TcpHeader>();
  if (!tcp) return Skip::truncated_transport;
  const bool may_be_dns = tcp->source_port == dns_port || tcp->destination_port == dns_port;
  if (!at.wanted.tcp && !(at.wanted.dns && may_be_dns)) return Skip::not_wanted;
  const std::size_t length = tcp->length();
  if (length < sizeof(TcpHeader) || length > at.cursor.length()) return Skip::bad_tcp_offset;

  Summary& summary = at.summary;
  summary.sequence = tcp->sequence;
  summary.acknowledgment = tcp->acknowledgment;
  summary.tcp_flags = tcp->flags;
  summary.window = tcp->window;

  // A short snap length may cut the options, and then also everything that follows.
  const auto captured = at.cursor.captured();
  const auto options = captured.first(std::min(length, captured.size())).subspan(sizeof(TcpHeader));
  if (const auto timestamps = find_tcp_timestamps(options)) {
    summary.has_timestamps = true;
    summary.ts_value = timestamps->value;
    summary.ts_echo = timestamps->echo;
  }
  const std::size_t payload = at.cursor.length() - length;
  const std::size_t offset = static_cast<std::size_t>(at.cursor.data() - at.ip) + length;
  finish(at, Content::tcp, tcp->source_port, tcp->destination_port);
  summary.payload = static_cast<std::uint32_t>(payload);
  summary.payload_offset = static_cast<std::uint16_t>(offset);
  return Step::done();
}

Step read_udp(Dissection& at) {
  const auto* udp = at.cursor.take<UdpHeader>();
  if (!udp) return Skip::truncated_transport;
  if (udp->length > 0) {
    if (udp->length < sizeof(UdpHeader)) return Skip::bad_udp_length;
    // A first fragment states the whole datagram's length; the IP length is this packet's.
    const std::size_t payload = udp->length - sizeof(UdpHeader);
    if (payload < at.cursor.length()) at.cursor.set_length(payload);
  }
  if (const auto tunnel = udp_tunnel(at.cursor, udp->source_port, udp->destination_port))
    return *tunnel;
  const auto either = [&](std::uint16_t port) {
    return udp->source_port == port || udp->destination_port == port;
  };
  if (either(dns_port)) return read_dns(at, *udp);
  if (either(ntp_port)) return read_ntp(at, *udp);
  return read_quic(at, *udp);
}

Step read_icmp(Dissection& at) {
  return read_echo(at, static_cast<std::uint8_t>(IcmpType::echo_request),
                   static_cast<std::uint8_t>(IcmpType::echo_reply));
}

Step read_icmpv6(Dissection& at) {
  return read_echo(at, static_cast<std::uint8_t>(Icmpv6Type::echo_request),
                   static_cast<std::uint8_t>(Icmpv6Type::echo_reply));
}

}  // namespace sojourn
