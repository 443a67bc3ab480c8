#pragma once
// Packets for tests: built inside out from the same structs that parse them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/packet.h"
#include "wire/headers/dns.h"
#include "wire/headers/ethernet.h"
#include "wire/headers/icmp.h"
#include "wire/headers/ipv6.h"
#include "wire/headers/ntp.h"
#include "wire/headers/tcp.h"
#include "wire/headers/udp.h"
#include "wire/summary.h"

namespace sojourn::test {

using Bytes = std::vector<std::byte>;

template <WireStruct Header>
Bytes bytes_of(const Header& header) {
  Bytes bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

inline Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

inline Bytes operator+(Bytes front, const Bytes& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

inline Bytes zeros(std::size_t count) { return Bytes(count); }

/// The endpoints of a packet; swapped() is the direction of the response.
struct Ends {
  std::uint32_t source = 0xc0000201;       // 192.0.2.1
  std::uint32_t destination = 0xc6336402;  // 198.51.100.2
  std::uint16_t source_port = 40000;
  std::uint16_t destination_port = 443;

  Ends swapped() const { return {destination, source, destination_port, source_port}; }
};

inline Bytes ipv4(const Ends& ends, IpProtocol protocol, const Bytes& payload) {
  Ipv4Header header;
  header.total_length = static_cast<std::uint16_t>(sizeof header + payload.size());
  header.identification = 7;
  header.fragment = 0x4000;  // do not fragment
  header.protocol = protocol;
  header.source = ends.source;
  header.destination = ends.destination;
  return bytes_of(header) + payload;
}

inline std::array<std::uint8_t, 16> ipv6_address(std::uint32_t low) {
  return {0x20,
          0x01,
          0x0d,
          0xb8,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          static_cast<std::uint8_t>(low >> 24),
          static_cast<std::uint8_t>(low >> 16),
          static_cast<std::uint8_t>(low >> 8),
          static_cast<std::uint8_t>(low)};
}

inline Bytes ipv6(const Ends& ends, IpProtocol next, const Bytes& payload) {
  Ipv6Header header;
  header.payload_length = static_cast<std::uint16_t>(payload.size());
  header.next_header = next;
  header.source = ipv6_address(ends.source);
  header.destination = ipv6_address(ends.destination);
  return bytes_of(header) + payload;
}

struct Segment {
  std::uint32_t sequence = 1000, acknowledgment = 2000;
  std::uint8_t flags = tcp_ack | tcp_push;
  Bytes options = {};
  std::size_t payload = 10;
};

inline Bytes tcp(const Ends& ends, const Segment& segment = {}) {
  TcpHeader header;
  header.source_port = ends.source_port;
  header.destination_port = ends.destination_port;
  header.sequence = segment.sequence;
  header.acknowledgment = segment.acknowledgment;
  header.data_offset = static_cast<std::uint8_t>((5 + segment.options.size() / 4) << 4);
  header.flags = segment.flags;
  header.window = 512;
  return bytes_of(header) + segment.options + zeros(segment.payload);
}

inline Bytes aligned_timestamps(std::uint32_t value, std::uint32_t echo) {
  return bytes_of(TcpAlignedTimestamps{.timestamps = {value, echo}});
}

inline Bytes udp(std::uint16_t source_port, std::uint16_t destination_port, const Bytes& payload) {
  UdpHeader header;
  header.source_port = source_port;
  header.destination_port = destination_port;
  header.length = static_cast<std::uint16_t>(sizeof header + payload.size());
  return bytes_of(header) + payload;
}

/// One question of class IN; `name` in dotted form.
inline Bytes dns(std::uint16_t identifier, bool response, std::string_view name,
                 std::uint16_t type = 1) {
  DnsHeader header;
  header.identifier = identifier;
  header.flags = response ? 0x8180 : 0x0100;
  header.questions = 1;
  Bytes question;
  while (!name.empty()) {
    const auto label = name.substr(0, name.find('.'));
    question.push_back(static_cast<std::byte>(label.size()));
    for (const char letter : label) question.push_back(static_cast<std::byte>(letter));
    name.remove_prefix(std::min(name.size(), label.size() + 1));
  }
  question.push_back(std::byte{0});
  return bytes_of(header) + question + bytes_of(Be16{type}) + bytes_of(Be16{1});
}

inline Bytes ntp(NtpMode mode, std::uint64_t originate, std::uint64_t transmit) {
  NtpHeader header;
  header.leap_version_mode = static_cast<std::uint8_t>(0x20u | static_cast<unsigned>(mode));
  header.originate = originate;
  header.transmit = transmit;
  return bytes_of(header);
}

inline Bytes echo(std::uint8_t type, std::uint16_t identifier, std::uint16_t sequence) {
  IcmpEcho header;
  header.type = type;
  header.identifier = identifier;
  header.sequence = sequence;
  return bytes_of(header) + zeros(16);
}

inline Bytes ethernet(std::uint16_t type, const Bytes& payload) {
  EthernetHeader header;
  header.destination = {2, 0, 0, 0, 0, 1};
  header.source = {2, 0, 0, 0, 0, 2};
  header.type = type;
  return bytes_of(header) + payload;
}
inline Bytes ethernet(EtherType type, const Bytes& payload) {
  return ethernet(static_cast<std::uint16_t>(type), payload);
}

inline Packet packet_of(const Bytes& bytes, LinkType link = LinkType::ethernet) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return {timestamp_from_ns(5), bytes.data(), size, size, link};
}

}  // namespace sojourn::test
