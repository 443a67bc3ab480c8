#include "wire/ip_packet.h"

#include <algorithm>
#include <cassert>

#include "core/prefetch.h"
#include "wire/headers/endian.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

[[gnu::always_inline]] inline std::uint64_t directed_hash(const HashKey& key,
                                                          const IpPacket& packet) {
  const std::uint64_t ports =
      static_cast<std::uint64_t>(packet.source_port) << 16 | packet.destination_port;
  const std::uint64_t rest =
      ports << 16 | std::uint64_t{packet.is_ipv6} << 8 | static_cast<std::uint8_t>(packet.protocol);
  if (!packet.is_ipv6) return keyed_hash(key, load_network<std::uint64_t>(packet.ip + 12), rest);
  const std::byte* const addresses = packet.ip + 8;
  const std::uint64_t source = keyed_hash(key, load_network<std::uint64_t>(addresses),
                                          load_network<std::uint64_t>(addresses + 8));
  const std::uint64_t destination = keyed_hash(key, load_network<std::uint64_t>(addresses + 16),
                                               load_network<std::uint64_t>(addresses + 24));
  return keyed_hash(key, source ^ rest, destination);
}

/// Ports and flags, as far as they were captured, and the flow's hash.
[[gnu::always_inline]] inline void read_transport(const HashKey& key, IpPacket& packet) {
  const bool has_ports = packet.protocol == IpProtocol::tcp || packet.protocol == IpProtocol::udp;
  if (has_ports && !packet.later_fragment) {
    const auto transport = packet.transport();
    if (transport.size() >= 4) {
      packet.source_port = load_network<std::uint16_t>(transport.data());
      packet.destination_port = load_network<std::uint16_t>(transport.data() + 2);
    }
    if (packet.protocol == IpProtocol::tcp && transport.size() >= 14)
      packet.tcp_flags = std::to_integer<std::uint8_t>(transport[13]);
  }
  packet.flow = directed_hash(key, packet);
}

/// The fields of a located packet that the one-way methods need.
[[gnu::always_inline]] inline void describe(const IpLayer& layer, const Packet& packet,
                                            const HashKey& key, IpPacket& out) {
  out = IpPacket{.time = packet.time,
                 .ip = layer.ip,
                 .ip_captured = layer.captured,
                 .ip_length = layer.length,
                 .transport_offset = layer.transport_offset,
                 .frame_length = std::max(packet.length, packet.captured),
                 .link = packet.link,
                 .fragment_offset = layer.fragment_offset,
                 .protocol = layer.protocol,
                 .is_ipv6 = layer.is_ipv6,
                 .later_fragment = layer.later_fragment};
  read_transport(key, out);
}

/// Offset of the IP header in a plain frame: Ethernet, at most one VLAN tag.  0: another kind.
std::size_t plain_offset(const Packet& packet, EtherType& type) {
  constexpr std::size_t ethernet_header = sizeof(EthernetHeader);
  if (packet.link != LinkType::ethernet || packet.captured < ethernet_header + sizeof(VlanTag))
    return 0;
  std::size_t offset = ethernet_header;
  type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 12));
  if (type == EtherType::vlan) {
    type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 16));
    offset += sizeof(VlanTag);
  }
  return type == EtherType::ipv4 || type == EtherType::ipv6 ? offset : 0;
}

/// The fast path for plain frames that cannot hold another IP packet; false: take the general walk.
/// It halves the cost of finding the packet (ip_packet_test compares the two).
[[gnu::always_inline]] inline bool locate_plain(const Packet& packet, const HashKey& key,
                                                IpPacket& out) {
  EtherType type{};
  const std::size_t offset = plain_offset(packet, type);
  if (offset == 0) return false;
  Cursor rest{packet.bytes().subspan(offset), std::max(packet.length, packet.captured) - offset};
  IpLayer layer;
  if (type == EtherType::ipv4)
    (void)read_ipv4_layer(rest, layer);
  else
    (void)read_ipv6_layer(rest, layer);
  if (layer.ip == nullptr) return false;
  describe(layer, packet, key, out);
  switch (out.protocol) {
    case IpProtocol::tcp:
    case IpProtocol::icmp:
    case IpProtocol::icmpv6:
      return true;
    case IpProtocol::udp:
      return !may_be_udp_tunnel(out.source_port) && !may_be_udp_tunnel(out.destination_port);
    default:
      return out.later_fragment;
  }
}

}  // namespace

FlowKey IpPacket::key() const {
  FlowKey key;
  if (is_ipv6) {
    key.source = IpAddress::v6(std::span<const std::byte, 16>{ip + 8, 16});
    key.destination = IpAddress::v6(std::span<const std::byte, 16>{ip + 24, 16});
  } else {
    key.source = IpAddress::v4(std::span<const std::byte, 4>{ip + 12, 4});
    key.destination = IpAddress::v4(std::span<const std::byte, 4>{ip + 16, 4});
  }
  key.source_port = source_port;
  key.destination_port = destination_port;
  key.protocol = static_cast<std::uint8_t>(protocol);
  return key;
}

std::size_t IpLocator::locate(std::span<const Packet> packets, std::span<IpPacket> out) {
  assert(out.size() >= packets.size());
  constexpr std::size_t ahead = 8;
  std::size_t found = 0;
  LocatedPacket at;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (i + ahead < packets.size())
      prefetch_to_read(packets[i + ahead].data + sizeof(EthernetHeader));
    if (locate_plain(packets[i], hash_key_, out[found])) [[likely]] {
      ++found;
      continue;
    }
    found += locate(packets[i], at, out[found]);
  }
  return found;
}

bool IpLocator::locate(const Packet& packet, LocatedPacket& at, IpPacket& out) {
  const auto skip = sojourn::locate(packet, at);
  if (at.inner.ip == nullptr) {
    ++skipped_[*skip];
    return false;
  }
  describe(at.inner, packet, hash_key_, out);
  return true;
}

}  // namespace sojourn
