#include "wire/summarize.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "wire/flow_hash.h"
#include "wire/headers/dns.h"
#include "wire/headers/icmp.h"
#include "wire/headers/ntp.h"
#include "wire/headers/quic.h"
#include "wire/headers/tcp.h"

namespace sojourn {
namespace {

using Outcome = std::optional<Skip>;
constexpr Outcome summarized = std::nullopt;

/// A located packet, the kinds wanted, and the summary to fill in.
struct Job {
  const LocatedPacket& at;
  const HashKey& key;
  const Wanted& wanted;
  Summary& summary;

  const Cursor& rest() const { return at.rest; }
};

/// Completes the summary: the transport payload stands at `payload`.
Outcome finish(const Job& job, Content content, const Cursor& payload, std::uint16_t source_port,
               std::uint16_t destination_port) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
  const IpLayer& layer = job.at.inner;
  Summary& summary = job.summary;
  const FlowHash hash =
      layer.is_ipv6
          ? hash_ipv6(job.key, layer.ip + 8, source_port, destination_port, job.at.transport)
          : hash_ipv4(job.key, load_network<std::uint32_t>(layer.ip + 12),
                      load_network<std::uint32_t>(layer.ip + 16), source_port, destination_port,
                      job.at.transport);
  summary.flow = hash.flow;
  summary.source_is_low = hash.source_is_low;
  summary.ip = layer.ip;
  summary.ip_captured = static_cast<std::uint16_t>(std::min(layer.captured, most));
  summary.payload_offset = static_cast<std::uint16_t>(payload.data() - layer.ip);
  summary.payload = static_cast<std::uint32_t>(payload.length());
  summary.source_port = source_port;
  summary.destination_port = destination_port;
  summary.vlan = job.at.vlan;
  summary.content = content;
  summary.is_ipv6 = layer.is_ipv6;
  summary.first_fragment = layer.first_fragment;
  summary.origin = static_cast<std::uint8_t>(
      std::min<std::ptrdiff_t>(layer.ip - job.at.outer.ip, Summary::far_away));
  return summarized;
}
Outcome finish_udp(const Job& job, Content content) {
  return finish(job, content, job.rest(), job.at.source_port, job.at.destination_port);
}

/// Protocols that are never QUIC but whose packets could pass for a QUIC short header.
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

Outcome read_dns(const Job& job) {
  const Cursor& rest = job.rest();
  if (!job.wanted.dns) return Skip::not_wanted;
  if (rest.captured().size() < sizeof(DnsHeader) && rest.length() >= sizeof(DnsHeader))
    return Skip::truncated_transport;
  const auto message = parse_dns_message(rest.captured());
  if (!message) return Skip::not_paired;
  job.summary.set_token(message->token);
  return finish_udp(job, message->response ? Content::dns_response : Content::dns_query);
}

Outcome read_ntp(const Job& job) {
  if (!job.wanted.ntp) return Skip::not_wanted;
  if (job.rest().length() < sizeof(NtpHeader)) return Skip::not_paired;
  const auto* ntp = job.rest().peek<NtpHeader>();
  if (!ntp) return Skip::truncated_transport;
  const bool request = is_ntp_request(ntp->mode());
  if (!request && !is_ntp_response(ntp->mode())) return Skip::not_paired;
  job.summary.set_token(request ? ntp->transmit : ntp->originate);
  return finish_udp(job, request ? Content::ntp_request : Content::ntp_response);
}

Outcome read_quic(const Job& job) {
  const Cursor& rest = job.rest();
  if (!job.wanted.quic || is_never_quic(job.at.source_port) ||
      is_never_quic(job.at.destination_port))
    return Skip::not_paired;
  if (rest.captured().empty() && rest.length() > 0) return Skip::truncated_transport;
  const auto quic = glance_at_quic(rest.captured(), rest.length());
  if (!quic) return Skip::not_paired;
  job.summary.quic_initial = quic->initial;
  job.summary.quic_spin = quic->spin;
  return finish_udp(job, quic->long_header ? Content::quic_long : Content::quic_short);
}

Outcome read_datagram(const Job& job) {
  const auto either = [&](std::uint16_t port) {
    return job.at.source_port == port || job.at.destination_port == port;
  };
  if (either(dns_port)) return read_dns(job);
  if (either(ntp_port)) return read_ntp(job);
  return read_quic(job);
}

Outcome read_tcp(const Job& job) {
  Cursor rest = job.rest();
  const auto* tcp = rest.peek<TcpHeader>();
  if (!tcp) return Skip::truncated_transport;
  const bool may_be_dns = tcp->source_port == dns_port || tcp->destination_port == dns_port;
  if (!job.wanted.tcp && !(job.wanted.dns && may_be_dns)) return Skip::not_wanted;
  const std::size_t length = tcp->length();
  if (length < sizeof(TcpHeader) || length > rest.length()) return Skip::bad_tcp_offset;

  Summary& summary = job.summary;
  summary.sequence = tcp->sequence;
  summary.acknowledgment = tcp->acknowledgment;
  summary.tcp_flags = tcp->flags;
  summary.window = tcp->window;

  // A short snap length may cut the options, and then everything behind them.
  const auto captured = rest.captured();
  const auto options = captured.first(std::min(length, captured.size())).subspan(sizeof(TcpHeader));
  if (const auto timestamps = find_tcp_timestamps(options)) {
    summary.has_timestamps = true;
    summary.ts_value = timestamps->value;
    summary.ts_echo = timestamps->echo;
  }
  finish(job, Content::tcp, rest, tcp->source_port, tcp->destination_port);
  summary.payload -= static_cast<std::uint32_t>(length);
  summary.payload_offset = static_cast<std::uint16_t>(summary.payload_offset + length);
  return summarized;
}

Outcome read_echo(const Job& job, std::uint8_t request, std::uint8_t reply) {
  if (!job.wanted.icmp) return Skip::not_wanted;
  Cursor rest = job.rest();
  const auto* type = rest.peek<std::uint8_t>();
  if (!type) return Skip::truncated_transport;
  // ICMP errors quote the packet that caused them.  That packet was not sent here and now.
  if (*type != request && *type != reply) return Skip::not_paired;
  const auto* echo = rest.take<IcmpEcho>();
  if (!echo) return Skip::truncated_transport;
  job.summary.set_token(echo->token());
  return finish(job, *type == request ? Content::icmp_request : Content::icmp_reply, rest, 0, 0);
}

}  // namespace

std::optional<Skip> summarize(const LocatedPacket& at, const HashKey& key, const Wanted& wanted,
                              Timestamp time, Summary& summary) {
  summary = Summary{.time = time};
  const Job job{at, key, wanted, summary};
  switch (at.transport) {
    case IpProtocol::tcp:
      return read_tcp(job);
    case IpProtocol::udp:
      return read_datagram(job);
    case IpProtocol::icmp:
      return read_echo(job, static_cast<std::uint8_t>(IcmpType::echo_request),
                       static_cast<std::uint8_t>(IcmpType::echo_reply));
    case IpProtocol::icmpv6:
      return read_echo(job, static_cast<std::uint8_t>(Icmpv6Type::echo_request),
                       static_cast<std::uint8_t>(Icmpv6Type::echo_reply));
    default:
      assert(false);  // locate() returns only these four
      return Skip::unknown_protocol;
  }
}

std::optional<Skip> summarize(const Packet& packet, const HashKey& key, const Wanted& wanted,
                              Summary& summary) {
  LocatedPacket at;
  if (const auto skip = locate(packet, at)) return skip;
  return summarize(at, key, wanted, packet.time, summary);
}

std::size_t tcp_offset_behind_others(const Summary& summary) {
  Cursor rest{{summary.ip, summary.ip_captured}, summary.ip_length()};
  IpLayer layer;
  (void)(summary.is_ipv6 ? read_ipv6_layer(rest, layer) : read_ipv4_layer(rest, layer));
  while (layer.protocol == IpProtocol::authentication) {
    const auto next = take_authentication(rest);
    if (!next) break;
    layer.protocol = *next;
  }
  return static_cast<std::size_t>(rest.data() - summary.ip);
}

}  // namespace sojourn
