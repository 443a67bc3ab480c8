#include "wire/parser.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "wire/dissection.h"
#include "wire/flow_hash.h"
#include "wire/ipv6.h"
#include "wire/tcp.h"

namespace sojourn {
namespace {

constexpr std::size_t tcp_header = sizeof(TcpHeader), ethernet_header = sizeof(EthernetHeader);

/// Options in another order than usual: SYN segments, selective acknowledgments.
[[gnu::noinline]] void read_options(std::span<const std::byte> options, Summary& out) {
  if (const auto timestamps = find_tcp_timestamps(options)) {
    out.has_timestamps = true;
    out.ts_value = timestamps->value;
    out.ts_echo = timestamps->echo;
  }
}

// The straight path: Ethernet with at most one VLAN tag (or no link header at all), IPv4 or IPv6
// without options, extensions or fragments, and TCP.  Its functions return false if a packet is
// anything else, or anything about it is odd; then `out` may hold anything.  They must agree with
// dissect() on all they accept (parser_test compares them).

/// `total` is the IP packet's length, of which `captured` bytes are at `ip`.
template <class IpHeader>
[[gnu::always_inline]] inline bool read_tcp_after(const Packet& packet, const std::byte* ip,
                                                  std::size_t captured, std::size_t total,
                                                  std::uint16_t vlan, const HashKey& key,
                                                  Summary& out) {
  constexpr std::size_t ip_header = sizeof(IpHeader);
  constexpr bool is_ipv6 = std::is_same_v<IpHeader, Ipv6Header>;
  const std::byte* const tcp = ip + ip_header;
  const std::size_t header = std::to_integer<std::size_t>(tcp[12] >> 4) * 4;
  if ((header < tcp_header) | (total < ip_header + header)) return false;

  const auto source_port = load_network<std::uint16_t>(tcp);
  const auto destination_port = load_network<std::uint16_t>(tcp + 2);
  FlowHash hash;
  if constexpr (is_ipv6)
    hash = hash_ipv6(key, ip + 8, source_port, destination_port, IpProtocol::tcp);
  else
    hash = hash_ipv4(key, load_network<std::uint32_t>(ip + 12), load_network<std::uint32_t>(ip + 16),
                     source_port, destination_port, IpProtocol::tcp);
  captured = std::min(captured, total);
  constexpr std::size_t with_timestamps = tcp_header + sizeof(TcpAlignedTimestamps);
  const bool usual_timestamps =
      header == with_timestamps && captured >= ip_header + with_timestamps &&
      load_network<std::uint32_t>(tcp + tcp_header) == TcpAlignedTimestamps::tcp_aligned_lead;

  // Field by field: a Summary made aside and copied would be read back before its parts have
  // reached the cache, and the load waits for all of them.
  out.time = packet.time;
  out.flow = hash.flow;
  out.ip = ip;
  out.sequence = load_network<std::uint32_t>(tcp + 4);
  out.acknowledgment = load_network<std::uint32_t>(tcp + 8);
  out.payload = static_cast<std::uint32_t>(total - ip_header - header);
  out.ip_captured = static_cast<std::uint16_t>(std::min<std::size_t>(captured, 0xffff));
  out.payload_offset = static_cast<std::uint16_t>(ip_header + header);
  out.source_port = source_port;
  out.destination_port = destination_port;
  out.window = load_network<std::uint16_t>(tcp + 14);
  out.vlan = vlan;
  out.content = Content::tcp;
  out.tcp_flags = std::to_integer<std::uint8_t>(tcp[13]);
  out.source_is_low = hash.source_is_low;
  out.has_timestamps = usual_timestamps;
  out.is_ipv6 = is_ipv6;
  out.first_fragment = false;
  out.quic_spin = false;
  out.quic_initial = false;
  if (usual_timestamps) [[likely]] {
    out.ts_value = load_network<std::uint32_t>(tcp + tcp_header + 4);
    out.ts_echo = load_network<std::uint32_t>(tcp + tcp_header + 8);
    return true;
  }
  out.ts_value = out.ts_echo = 0;
  if (header == tcp_header) return true;
  const std::size_t options = std::min(header, captured - ip_header) - tcp_header;
  read_options({tcp + tcp_header, options}, out);
  return true;
}

[[gnu::always_inline]] inline bool read_ipv4_tcp(const Packet& packet, std::size_t offset,
                                                 std::uint16_t vlan, const HashKey& key,
                                                 Summary& out) {
  if (packet.captured < offset + sizeof(Ipv4Header) + tcp_header) return false;
  const std::byte* const ip = packet.data + offset;
  const auto fragment = load_network<std::uint16_t>(ip + 6);
  constexpr std::uint16_t more_or_offset = 0x3fff;
  const bool odd = (ip[0] != std::byte{0x45}) | (ip[9] != std::byte{6}) |
                   ((fragment & more_or_offset) != 0);
  if (odd) return false;
  // A length of 0 (offload) fails the check behind, like any other that is too short.
  const std::size_t total = load_network<std::uint16_t>(ip + 2);
  return read_tcp_after<Ipv4Header>(packet, ip, packet.captured - offset, total, vlan, key, out);
}

[[gnu::always_inline]] inline bool read_ipv6_tcp(const Packet& packet, std::size_t offset,
                                                 std::uint16_t vlan, const HashKey& key,
                                                 Summary& out) {
  if (packet.captured < offset + sizeof(Ipv6Header) + tcp_header) return false;
  const std::byte* const ip = packet.data + offset;
  if (((ip[0] >> 4) != std::byte{6}) | (ip[6] != std::byte{6})) return false;
  const std::size_t total = sizeof(Ipv6Header) + load_network<std::uint16_t>(ip + 4);
  return read_tcp_after<Ipv6Header>(packet, ip, packet.captured - offset, total, vlan, key, out);
}

[[gnu::always_inline]] inline bool read_straight(const Packet& packet, const HashKey& key,
                                                 Summary& out) {
  constexpr std::uint16_t none = Sample::no_vlan;
  if (packet.link != LinkType::ethernet) [[unlikely]]
    return packet.link == LinkType::raw && (read_ipv4_tcp(packet, 0, none, key, out) ||
                                            read_ipv6_tcp(packet, 0, none, key, out));
  if (packet.captured < ethernet_header + sizeof(VlanTag)) return false;
  const auto type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 12));
  if (type == EtherType::ipv4) return read_ipv4_tcp(packet, ethernet_header, none, key, out);
  if (type == EtherType::ipv6) return read_ipv6_tcp(packet, ethernet_header, none, key, out);
  if (type != EtherType::vlan) return false;

  constexpr std::size_t tagged = ethernet_header + sizeof(VlanTag);
  const std::uint16_t vlan = load_network<std::uint16_t>(packet.data + 14) & 0x0fffu;
  const auto inner = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 16));
  if (inner == EtherType::ipv4) return read_ipv4_tcp(packet, tagged, vlan, key, out);
  if (inner == EtherType::ipv6) return read_ipv6_tcp(packet, tagged, vlan, key, out);
  return false;
}

}  // namespace

std::size_t Parser::summarize(std::span<const Packet> packets, std::span<Summary> out,
                              std::uint32_t first_index) {
  assert(out.size() >= packets.size());
  constexpr std::size_t ahead = 8;
  std::size_t written = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (i + ahead < packets.size()) __builtin_prefetch(packets[i + ahead].data + ethernet_header);
    Summary& summary = out[written];
    const Packet& packet = packets[i];
    if (!(wanted_.tcp && read_straight(packet, key_, summary))) [[unlikely]] {
      if (const auto skip = dissect(packet, key_, wanted_, summary)) {
        ++skipped_[*skip];
        continue;
      }
    }
    summary.index = first_index + static_cast<std::uint32_t>(i);
    ++written;
  }
  return written;
}

}  // namespace sojourn
