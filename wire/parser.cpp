#include "wire/parser.h"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <vector>

#include "core/prefetch.h"
#include "wire/flow_hash.h"
#include "wire/headers/ipv6.h"
#include "wire/headers/tcp.h"
#include "wire/summarize.h"

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

// The fast path: Ethernet with at most one VLAN tag (or no link header), IPv4 or IPv6 without
// options, extensions or fragments, and TCP.  Its functions return false for any other or unusual
// packet; then `out` is unspecified.  They must agree with summarize() on all packets they accept
// (parser_test compares them).

/// `total` is the IP packet's length, of which `captured` bytes are at `ip`.
template <class IpHeader, class Room>
[[gnu::always_inline]] inline Summary* read_tcp_after(const Packet& packet, const std::byte* ip,
                                                      std::size_t captured, std::size_t total,
                                                      std::uint16_t vlan, const HashKey& key,
                                                      const Room& room) {
  constexpr std::size_t ip_header = sizeof(IpHeader);
  constexpr bool is_ipv6 = std::is_same_v<IpHeader, Ipv6Header>;
  const std::byte* const tcp = ip + ip_header;
  const std::size_t header = std::to_integer<std::size_t>(tcp[12]) >> 4 << 2;
  if ((header < tcp_header) | (total < ip_header + header)) return nullptr;

  const auto source_port = load_network<std::uint16_t>(tcp);
  const auto destination_port = load_network<std::uint16_t>(tcp + 2);
  FlowHash hash;
  if constexpr (is_ipv6)
    hash = hash_ipv6(key, ip + 8, source_port, destination_port, IpProtocol::tcp);
  else
    hash =
        hash_ipv4(key, load_network<std::uint32_t>(ip + 12), load_network<std::uint32_t>(ip + 16),
                  source_port, destination_port, IpProtocol::tcp);
  captured = std::min(captured, total);
  constexpr std::size_t with_timestamps = tcp_header + sizeof(TcpAlignedTimestamps);
  const bool usual_timestamps =
      header == with_timestamps && captured >= ip_header + with_timestamps &&
      load_network<std::uint32_t>(tcp + tcp_header) == TcpAlignedTimestamps::tcp_aligned_lead;

  Summary& out = *room.for_flow(hash.flow);
  // Written field by field: a Summary built elsewhere and copied would be read back before its
  // parts have reached the cache, and the load would stall.
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
  out.no_bits = 0;
  out.origin = 0;
  if (usual_timestamps) [[likely]] {
    out.ts_value = load_network<std::uint32_t>(tcp + tcp_header + 4);
    out.ts_echo = load_network<std::uint32_t>(tcp + tcp_header + 8);
    return &out;
  }
  out.ts_value = out.ts_echo = 0;
  if (header == tcp_header) return &out;
  const std::size_t options = std::min(header, captured - ip_header) - tcp_header;
  read_options({tcp + tcp_header, options}, out);
  return &out;
}

template <class Room>
[[gnu::always_inline]] inline Summary* read_ipv4_tcp(const Packet& packet, std::size_t offset,
                                                     std::uint16_t vlan, const HashKey& key,
                                                     const Room& room) {
  if (packet.captured < offset + sizeof(Ipv4Header) + tcp_header) return nullptr;
  const std::byte* const ip = packet.data + offset;
  // Version and header length, type of service (any), total length (any).
  const auto start = load_network<std::uint32_t>(ip);
  // More fragments and offset: none; time to live (any), protocol.
  const auto middle = load_network<std::uint32_t>(ip + 6);
  if (start >> 24 != 0x45 || (middle & 0x3fff00ffu) != 6) return nullptr;
  // A length of 0 (offload) fails the check below, like any other that is too short.
  const std::size_t total = start & 0xffffu;
  return read_tcp_after<Ipv4Header>(packet, ip, packet.captured - offset, total, vlan, key, room);
}

template <class Room>
[[gnu::always_inline]] inline Summary* read_ipv6_tcp(const Packet& packet, std::size_t offset,
                                                     std::uint16_t vlan, const HashKey& key,
                                                     const Room& room) {
  if (packet.captured < offset + sizeof(Ipv6Header) + tcp_header) return nullptr;
  const std::byte* const ip = packet.data + offset;
  if (((ip[0] >> 4) != std::byte{6}) | (ip[6] != std::byte{6})) return nullptr;
  const std::size_t total = sizeof(Ipv6Header) + load_network<std::uint16_t>(ip + 4);
  return read_tcp_after<Ipv6Header>(packet, ip, packet.captured - offset, total, vlan, key, room);
}

template <class Room>
[[gnu::always_inline]] inline Summary* read_straight(const Packet& packet, const HashKey& key,
                                                     const Room& room) {
  constexpr std::uint16_t none = Sample::no_vlan;
  if (packet.link != LinkType::ethernet) [[unlikely]] {
    if (packet.link != LinkType::raw) return nullptr;
    Summary* const read = read_ipv4_tcp(packet, 0, none, key, room);
    return read ? read : read_ipv6_tcp(packet, 0, none, key, room);
  }
  if (packet.captured < ethernet_header + sizeof(VlanTag)) return nullptr;
  const auto type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 12));
  if (type == EtherType::ipv4) return read_ipv4_tcp(packet, ethernet_header, none, key, room);
  if (type == EtherType::ipv6) return read_ipv6_tcp(packet, ethernet_header, none, key, room);
  if (type != EtherType::vlan) return nullptr;

  constexpr std::size_t tagged = ethernet_header + sizeof(VlanTag);
  const std::uint16_t vlan = load_network<std::uint16_t>(packet.data + 14) & 0x0fffu;
  const auto inner = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 16));
  if (inner == EtherType::ipv4) return read_ipv4_tcp(packet, tagged, vlan, key, room);
  if (inner == EtherType::ipv6) return read_ipv6_tcp(packet, tagged, vlan, key, room);
  return nullptr;
}

// Where summaries go.  The fast path asks for the place of a flow and writes there.  The general
// path writes to a temporary place; the summary is moved if necessary.

/// All into one list.
struct OneList {
  Summary* next;

  Summary* for_flow(std::uint64_t) const { return next; }
  Summary* for_any() { return next; }
  void keep(const Summary*) { ++next; }
};

/// One list for each shard of the flows.
struct ListPerShard {
  std::span<Summary*> ends;
  Summary spare;

  Summary* for_flow(std::uint64_t flow) const { return ends[shard_of(flow, ends.size())]; }
  Summary* for_any() { return &spare; }
  void keep(const Summary* written) {
    Summary*& end = ends[shard_of(written->flow, ends.size())];
    if (written == &spare) *end = spare;
    ++end;
  }
};

/// Done afterwards, so that it costs nothing when not requested.
void put_interfaces(std::span<const Packet> packets, std::uint32_t first_index,
                    std::span<Summary> summaries) {
  for (Summary& summary : summaries)
    summary.origin = packets[summary.index - first_index].interface;
}

}  // namespace

template <class Room>
[[gnu::always_inline]] inline void Parser::parse(std::span<const Packet> packets, Room& room,
                                                 std::uint32_t first_index,
                                                 std::ptrdiff_t next_read) {
  const bool wants_tcp = wanted_.tcp;
  const HashKey key = key_;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = packets[i];
    // While other work hides the latency.
    constexpr std::ptrdiff_t cache_line = 64;
    prefetch_far(packet.data, next_read);
    prefetch_far(packet.data, next_read + cache_line);

    Summary* summary = wants_tcp ? read_straight(packet, key, room) : nullptr;
    if (!summary) [[unlikely]] {
      summary = room.for_any();
      if (const auto skip = sojourn::summarize(packet, key_, wanted_, *summary)) {
        ++skipped_[*skip];
        continue;
      }
    }
    summary->index = first_index + static_cast<std::uint32_t>(i);
    room.keep(summary);
  }
}

std::size_t Parser::summarize(std::span<const Packet> packets, std::span<Summary> out,
                              std::uint32_t first_index) {
  assert(out.size() >= packets.size());
  // Most captures lie packet after packet in memory, and so does the next batch.
  constexpr std::ptrdiff_t a_batch = 16 * 1024;
  OneList list{out.data()};
  parse(packets, list, first_index, a_batch);
  if (by_interface_) put_interfaces(packets, first_index, {out.data(), list.next});
  return static_cast<std::size_t>(list.next - out.data());
}

void Parser::deal(std::span<const Packet> packets, std::span<Summary*> ends,
                  std::uint32_t first_index, std::ptrdiff_t next_read) {
  const std::vector<Summary*> starts(by_interface_ ? ends.begin() : ends.end(), ends.end());
  ListPerShard lists{ends, {}};
  parse(packets, lists, first_index, next_read);
  for (std::size_t i = 0; i < starts.size(); ++i)
    put_interfaces(packets, first_index, {starts[i], ends[i]});
}

}  // namespace sojourn
