#include "wire/ip_packet.h"

#include <algorithm>
#include <cassert>

#include "wire/dissection.h"
#include "wire/headers/endian.h"
#include "wire/headers/ipv6.h"
#include "wire/headers/mpls.h"
#include "wire/headers/udp.h"
#include "wire/headers/udp_tunnels.h"

namespace sojourn {
namespace {

constexpr std::size_t ethernet_header = sizeof(EthernetHeader);

std::uint64_t directed_hash(const HashKey& key, const IpPacket& packet) {
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
void read_transport(const HashKey& key, IpPacket& packet) {
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

bool read_ipv4_packet(std::span<const std::byte> bytes, std::size_t length, IpPacket& out) {
  const auto* header = reinterpret_cast<const Ipv4Header*>(bytes.data());
  if (bytes.size() < sizeof(Ipv4Header) || header->version() != 4 ||
      header->length() < sizeof(Ipv4Header))
    return false;
  if (header->total_length > 0) length = header->total_length;
  if (length < header->length()) return false;
  out.ip_length = static_cast<std::uint32_t>(length);
  out.ip_captured = static_cast<std::uint32_t>(std::min(bytes.size(), length));
  out.transport_offset = static_cast<std::uint32_t>(header->length());
  out.protocol = header->protocol;
  out.later_fragment = header->fragment_offset() > 0;
  return true;
}

constexpr bool is_options(IpProtocol protocol) {
  return protocol == IpProtocol::hop_by_hop || protocol == IpProtocol::routing ||
         protocol == IpProtocol::destination_options || protocol == IpProtocol::mobility;
}

bool read_ipv6_packet(std::span<const std::byte> bytes, std::size_t length, IpPacket& out) {
  const auto* header = reinterpret_cast<const Ipv6Header*>(bytes.data());
  if (bytes.size() < sizeof(Ipv6Header) || header->version() != 6) return false;
  if (header->payload_length > 0) length = sizeof(Ipv6Header) + header->payload_length;
  bytes = bytes.first(std::min(bytes.size(), length));
  out.is_ipv6 = true;
  out.ip_length = static_cast<std::uint32_t>(length);
  out.ip_captured = static_cast<std::uint32_t>(bytes.size());
  IpProtocol next = header->next_header;
  std::size_t offset = sizeof(Ipv6Header);
  constexpr int longest_chain = 12;
  for (int extensions = 0;
       extensions < longest_chain && offset + sizeof(Ipv6Fragment) <= bytes.size(); ++extensions) {
    if (is_options(next)) {
      const auto* extension = reinterpret_cast<const Ipv6Extension*>(bytes.data() + offset);
      next = extension->next_header;
      offset += extension->length();
    } else if (next == IpProtocol::fragment && !out.later_fragment) {
      const auto* fragment = reinterpret_cast<const Ipv6Fragment*>(bytes.data() + offset);
      out.fragment_offset = static_cast<std::uint16_t>(offset);
      out.later_fragment = fragment->fragment_offset() > 0;
      next = fragment->next_header;
      offset += sizeof(Ipv6Fragment);
      if (out.later_fragment) break;  // what follows is the middle of something
    } else {
      break;
    }
  }
  out.protocol = next;
  out.transport_offset = static_cast<std::uint32_t>(std::min(offset, length));
  return true;
}

bool may_be_tunnel(std::uint16_t port) {
  switch (port) {
    case VxlanHeader::port:
    case VxlanHeader::linux_port:
    case GeneveHeader::port:
    case GtpHeader::port:
    case L2tpFlags::port:
    case TeredoIndication::port:
    case AyiyaHeader::port:
    case mpls_udp_port:
      return true;
    default:
      return false;
  }
}

/// Where the IP header lies in a plain frame: Ethernet, at most one VLAN tag.  0: another kind.
std::size_t plain_offset(const Packet& packet) {
  if (packet.link != LinkType::ethernet || packet.captured < ethernet_header + sizeof(VlanTag))
    return 0;
  std::size_t offset = ethernet_header;
  auto type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 12));
  if (type == EtherType::vlan) {
    type = static_cast<EtherType>(load_network<std::uint16_t>(packet.data + 16));
    offset += sizeof(VlanTag);
  }
  return type == EtherType::ipv4 || type == EtherType::ipv6 ? offset : 0;
}

std::size_t length_from(const Packet& packet, std::size_t offset) {
  return std::max(packet.length, packet.captured) - offset;
}

/// The short way for what cannot hold another IP packet.  False: go the long way.
bool locate_plain(const Packet& packet, const HashKey& key, IpPacket& out) {
  const std::size_t offset = plain_offset(packet);
  if (offset == 0) return false;
  if (!read_ip_packet(packet.bytes().subspan(offset), length_from(packet, offset), key, out))
    return false;
  switch (out.protocol) {
    case IpProtocol::tcp:
    case IpProtocol::icmp:
    case IpProtocol::icmpv6:
      return true;
    case IpProtocol::udp:
      return !may_be_tunnel(out.source_port) && !may_be_tunnel(out.destination_port);
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

bool read_ip_packet(std::span<const std::byte> bytes, std::size_t length, const HashKey& key,
                    IpPacket& out) {
  if (bytes.empty()) return false;
  out = IpPacket{.time = out.time, .ip = bytes.data()};
  const bool is_ipv6 = (bytes[0] >> 4) == std::byte{6};
  if (!(is_ipv6 ? read_ipv6_packet(bytes, length, out) : read_ipv4_packet(bytes, length, out)))
    return false;
  read_transport(key, out);
  return true;
}

std::size_t IpLocator::locate(std::span<const Packet> packets, std::span<IpPacket> out) {
  assert(out.size() >= packets.size());
  constexpr std::size_t ahead = 8;
  std::size_t found = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (i + ahead < packets.size()) __builtin_prefetch(packets[i + ahead].data + ethernet_header);
    const Packet& packet = packets[i];
    IpPacket& ip = out[found];
    if (!locate_plain(packet, hash_key_, ip)) [[unlikely]] {
      const auto innermost = innermost_ip(packet, hash_key_);
      if (!innermost) {
        ++skipped_[innermost.error()];
        continue;
      }
      const auto below = static_cast<std::size_t>(*innermost - packet.data);
      if (!read_ip_packet(packet.bytes().subspan(below), length_from(packet, below), hash_key_,
                          ip)) {
        ++skipped_[Skip::bad_ip_length];
        continue;
      }
    }
    ip.time = packet.time;
    ++found;
  }
  return found;
}

}  // namespace sojourn
