#include "lab/two_point_frame.h"

#include <algorithm>
#include <cstring>

#include "core/hash.h"
#include "wire/headers/ethernet.h"
#include "wire/headers/internet_checksum.h"
#include "wire/headers/ipv6.h"
#include "wire/headers/reference_packet.h"
#include "wire/headers/tcp.h"
#include "wire/headers/udp.h"

namespace sojourn {
namespace {

template <WireStruct Header>
std::byte* put(std::byte* at, const Header& header) {
  std::memcpy(at, &header, sizeof header);
  return at + sizeof header;
}

bool is_tcp(std::uint32_t flow) { return flow % 4 != 3; }

std::uint32_t source_v4(std::uint32_t flow) { return 0x0a000000u | (flow >> 4 & 0x00ffffffu); }
std::uint32_t destination_v4(std::uint32_t flow) {
  return 0xc6120000u | ((flow * 2654435761u) >> 15 & 0x1ffffu);
}
std::uint16_t source_port(std::uint32_t flow) {
  return static_cast<std::uint16_t>(1024 + flow % 60'000);
}
std::uint16_t destination_port(std::uint32_t flow) { return is_tcp(flow) ? 443 : 4433; }

std::array<std::uint8_t, 16> address_v6(std::uint8_t network, std::uint32_t low) {
  std::array<std::uint8_t, 16> address = {0x20, 0x01, 0x0d, 0xb8, 0, network};
  for (std::size_t i = 0; i < 4; ++i)
    address[12 + i] = static_cast<std::uint8_t>(low >> (24 - 8 * i));
  return address;
}

std::byte* put_ipv4(std::byte* at, std::uint32_t flow, std::uint32_t start, std::uint32_t number,
                    std::uint32_t ip_bytes, const FrameView& view) {
  Ipv4Header header;
  header.service = view.service;
  header.total_length = static_cast<std::uint16_t>(ip_bytes);
  header.identification = static_cast<std::uint16_t>(start + number);
  header.fragment = 0x4000;
  header.time_to_live = static_cast<std::uint8_t>(64 - view.hops);
  header.protocol = is_tcp(flow) ? IpProtocol::tcp : IpProtocol::udp;
  header.source = source_v4(flow);
  header.destination = destination_v4(flow);
  header.checksum = internet_checksum(std::as_bytes(std::span<const Ipv4Header, 1>{&header, 1}));
  return put(at, header);
}

std::byte* put_ipv6(std::byte* at, std::uint32_t flow, std::uint32_t ip_bytes,
                    const FrameView& view) {
  Ipv6Header header;
  header.version_class_label =
      6u << 28 | static_cast<std::uint32_t>(view.service) << 20 | (flow & 0xfffffu);
  header.payload_length = static_cast<std::uint16_t>(ip_bytes - sizeof header);
  header.next_header = is_tcp(flow) ? IpProtocol::tcp : IpProtocol::udp;
  header.hop_limit = static_cast<std::uint8_t>(64 - view.hops);
  header.source = address_v6(0xa, source_v4(flow));
  header.destination = address_v6(0xb, destination_v4(flow));
  return put(at, header);
}

/// Acknowledgments have no payload and advance the acknowledgment number; data advances the
/// sequence number.
std::byte* put_transport(std::byte* at, std::uint32_t flow, std::uint32_t start,
                         std::uint32_t number, std::uint32_t transport_bytes) {
  if (!is_tcp(flow)) {
    UdpHeader header;
    header.source_port = source_port(flow);
    header.destination_port = destination_port(flow);
    header.length = static_cast<std::uint16_t>(transport_bytes);
    return put(put(at, header), Be32{start + number});
  }
  TcpHeader header;
  header.source_port = source_port(flow);
  header.destination_port = destination_port(flow);
  const bool has_payload = transport_bytes > 20;
  header.sequence = has_payload ? start + number * 1460u : start;
  header.acknowledgment = has_payload ? ~start : ~start + number * 2920u;
  header.data_offset = 5 << 4;
  header.flags = 16;
  return put(at, header);
}

}  // namespace

bool two_point_flow_is_udp(std::uint32_t flow) { return !is_tcp(flow); }

FlowKey two_point_flow(std::uint32_t flow, bool is_ipv6) {
  FlowKey key;
  key.source_port = source_port(flow);
  key.destination_port = destination_port(flow);
  key.protocol = static_cast<std::uint8_t>(is_tcp(flow) ? IpProtocol::tcp : IpProtocol::udp);
  if (is_ipv6) {
    const auto source = address_v6(0xa, source_v4(flow)),
               destination = address_v6(0xb, destination_v4(flow));
    key.source = IpAddress::v6(std::as_bytes(std::span{source}));
    key.destination = IpAddress::v6(std::as_bytes(std::span{destination}));
  } else {
    const Be32 source = source_v4(flow), destination = destination_v4(flow);
    key.source = IpAddress::v4(std::as_bytes(std::span<const Be32, 1>{&source, 1}));
    key.destination = IpAddress::v4(std::as_bytes(std::span<const Be32, 1>{&destination, 1}));
  }
  return key;
}

TwoPointFrame::Bytes TwoPointFrame::make(std::uint32_t flow, bool is_ipv6, std::uint32_t number,
                                         std::uint32_t ip_bytes, const FrameView& view,
                                         std::uint32_t snap_length) {
  ip_bytes = std::max(ip_bytes, is_ipv6 ? 60u : 52u);
  buffer_.fill(std::byte{0});
  EthernetHeader ethernet;
  const auto ip_type = is_ipv6 ? EtherType::ipv6 : EtherType::ipv4;
  ethernet.type = static_cast<std::uint16_t>(view.vlan_tag ? EtherType::vlan : ip_type);
  std::byte* at = put(buffer_.data(), ethernet);
  if (view.vlan_tag) {
    VlanTag tag;
    tag.control = 100;
    tag.type = static_cast<std::uint16_t>(ip_type);
    at = put(at, tag);
  }
  const std::byte* const ip = at;
  std::uint64_t state = seed_ ^ static_cast<std::uint64_t>(flow) << 32;
  const auto start =
      static_cast<std::uint32_t>(split_mix(state));  // as hosts choose them: at random
  at = is_ipv6 ? put_ipv6(at, flow, ip_bytes, view)
               : put_ipv4(at, flow, start, number, ip_bytes, view);
  put_transport(at, flow, start, number, ip_bytes - static_cast<std::uint32_t>(at - ip));
  const auto length = static_cast<std::uint32_t>(ip - buffer_.data()) + ip_bytes;
  const std::size_t kept = std::min<std::size_t>({length, snap_length, buffer_.size()});
  return {std::span{buffer_}.first(kept), length};
}

TwoPointFrame::Bytes TwoPointFrame::make_reference(std::uint32_t flow, std::uint32_t number,
                                                   Timestamp sent, const FrameView& view,
                                                   std::uint32_t snap_length) {
  const Bytes frame = make(flow, false, number, reference_bytes, view, snap_length);
  const auto payload = encode(ReferencePacket{.sender = 1, .sequence = number, .sent = sent});
  const std::size_t before = sizeof(EthernetHeader) + (view.vlan_tag ? sizeof(VlanTag) : 0) +
                             sizeof(Ipv4Header) + sizeof(UdpHeader);
  std::memcpy(buffer_.data() + before, payload.data(), payload.size());
  return frame;
}

}  // namespace sojourn
