#include "lab/frame_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "core/hash.h"
#include "wire/headers/internet_checksum.h"

namespace sojourn {
namespace {

constexpr std::size_t ethernet_bytes = 14, ip_bytes = 20, tcp_bytes = 20, udp_bytes = 8;
constexpr std::uint8_t tcp_protocol = 6, udp_protocol = 17;
constexpr std::uint32_t least_frame = 60;  // IEEE 802.3, without the check sequence

void put16(std::uint8_t* to, std::uint32_t value) {
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value);
}
void put32(std::uint8_t* to, std::uint32_t value) {
  put16(to, value >> 16);
  put16(to + 2, value);
}

IpAddress address_of(std::uint32_t address) {
  std::array<std::byte, 4> bytes;
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(address >> (24 - 8 * i));
  return IpAddress::v4(bytes);
}

/// "\1h" and the number in hexadecimal as one label, then "example" (RFC 1035 section 3.1).
std::size_t put_question(std::uint8_t* to, std::uint64_t number) {
  constexpr int digits = 12;
  to[0] = digits + 1;
  to[1] = 'h';
  for (int i = 0; i < digits; ++i)
    to[2 + i] =
        static_cast<std::uint8_t>("0123456789abcdef"[number >> (4 * (digits - 1 - i)) & 15]);
  std::memcpy(to + 2 + digits, "\7example\0\0\1\0\1", 13);  // type A, class IN
  return 2 + digits + 13;
}

}  // namespace

LabEnds LabEnds::of_flow(std::uint64_t number, std::uint16_t server_port) {
  std::uint64_t state = number;
  const std::uint64_t mixed = split_mix(state);
  LabEnds ends;
  ends.client = 0x0a000000u | static_cast<std::uint32_t>(number & 0xffffffu);
  ends.client_port = static_cast<std::uint16_t>(32768 + (number >> 24 & 0x7fffu));
  ends.server = 0xc6120000u | static_cast<std::uint32_t>(mixed & 0x1ffffu);
  ends.server_port = server_port;
  return ends;
}

IpAddress LabEnds::client_address() const { return address_of(client); }
IpAddress LabEnds::server_address() const { return address_of(server); }

Sample sample_between(const LabEnds& ends, bool client_asks, Kind kind) {
  Sample sample;
  sample.kind = kind;
  sample.leg = client_asks ? Leg::server : Leg::client;
  sample.requester_is_server = !client_asks;
  sample.requester = ends.client_address();
  sample.responder = ends.server_address();
  sample.requester_port = ends.client_port;
  sample.responder_port = ends.server_port;
  if (!client_asks) {
    std::swap(sample.requester, sample.responder);
    std::swap(sample.requester_port, sample.responder_port);
  }
  return sample;
}

FrameBuilder::FrameBuilder(std::uint32_t snap_length) : snap_length_(snap_length) {}

std::size_t FrameBuilder::put_ip(const LabEnds& ends, bool from_client, std::uint8_t protocol,
                                 std::uint32_t payload) {
  std::memset(buffer_.data(), 0, dirty_);
  buffer_[5] = from_client ? 1 : 2;  // locally administered addresses 02:00:00:00:00:0x
  buffer_[11] = from_client ? 2 : 1;
  buffer_[0] = buffer_[6] = 2;
  put16(&buffer_[12], 0x0800);
  std::uint8_t* ip = &buffer_[ethernet_bytes];
  ip[0] = 0x45;
  put16(ip + 2, static_cast<std::uint32_t>(ip_bytes) + payload);
  put16(ip + 4, ++identification_);
  put16(ip + 6, 0x4000);  // don't fragment
  ip[8] = 60;
  ip[9] = protocol;
  put32(ip + 12, from_client ? ends.client : ends.server);
  put32(ip + 16, from_client ? ends.server : ends.client);
  put16(ip + 10, checksum_of_sum(word_sum(std::as_bytes(std::span{ip, ip_bytes}))));
  return ethernet_bytes + ip_bytes;
}

LabFrame FrameBuilder::finish(Timestamp time, std::size_t headers, std::uint32_t payload) {
  dirty_ = headers;
  const std::uint32_t length = std::max(least_frame, static_cast<std::uint32_t>(headers) + payload);
  const std::size_t kept =
      std::min<std::size_t>({length, std::max<std::size_t>(snap_length_, headers), buffer_bytes});
  return {time, std::as_bytes(std::span{buffer_}.first(kept)), length};
}

LabFrame FrameBuilder::tcp(Timestamp time, const LabEnds& ends, const LabSegment& segment) {
  const bool opens = (segment.flags & syn_flag) != 0;
  const std::size_t options = (opens ? 8u : 0u) + (segment.has_timestamps ? 12u : 0u);
  const std::size_t header = tcp_bytes + options;
  const std::size_t at = put_ip(ends, segment.from_client, tcp_protocol,
                                static_cast<std::uint32_t>(header) + segment.payload);
  std::uint8_t* tcp = &buffer_[at];
  put16(tcp, segment.from_client ? ends.client_port : ends.server_port);
  put16(tcp + 2, segment.from_client ? ends.server_port : ends.client_port);
  put32(tcp + 4, segment.sequence);
  put32(tcp + 8, segment.acknowledgment);
  tcp[12] = static_cast<std::uint8_t>(header / 4 << 4);
  tcp[13] = segment.flags;
  put16(tcp + 14, segment.window);
  std::uint8_t* option = tcp + tcp_bytes;
  if (opens) {
    put32(option, 0x020405b4);      // maximum segment size 1460
    put32(option + 4, 0x01030307);  // window scale 7 (RFC 7323 section 2.2)
    option += 8;
  }
  if (segment.has_timestamps) {
    put32(option, 0x0101080a);  // two no-operations, then kind 8, length 10 (RFC 7323 appendix A)
    put32(option + 4, segment.ts_value);
    put32(option + 8, segment.ts_echo);
  }
  const std::uint32_t pseudo = word_sum(std::as_bytes(std::span{tcp - 8, 8})) + tcp_protocol +
                               static_cast<std::uint32_t>(header) + segment.payload;
  put16(tcp + 16, checksum_of_sum(pseudo + word_sum(std::as_bytes(
                                               std::span{tcp, header}))));  // RFC 9293 section 3.1
  return finish(time, at + header, segment.payload);
}

LabFrame FrameBuilder::dns(Timestamp time, const LabEnds& ends, std::uint64_t number,
                           bool is_response) {
  std::array<std::uint8_t, 64> message{};
  put16(&message[0], static_cast<std::uint32_t>(number * 0x9e37u));
  put16(&message[2], is_response ? 0x8180 : 0x0100);
  put16(&message[4], 1);
  std::size_t size = 12 + put_question(&message[12], number);
  if (is_response) {
    put16(&message[6], 1);
    std::memcpy(&message[size], "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1",
                16);  // 192.0.2.1 for a minute
    size += 16;
  }
  const std::uint32_t payload = static_cast<std::uint32_t>(udp_bytes + size);
  const std::size_t at = put_ip(ends, !is_response, udp_protocol, payload);
  std::uint8_t* udp = &buffer_[at];
  put16(udp, is_response ? ends.server_port : ends.client_port);
  put16(udp + 2, is_response ? ends.client_port : ends.server_port);
  put16(udp + 4, payload);
  std::memcpy(udp + udp_bytes, message.data(), size);
  const std::uint32_t sum =
      checksum_of_sum(word_sum(std::as_bytes(std::span{udp - 8, 8})) + udp_protocol + payload +
                      word_sum(std::as_bytes(std::span{udp, payload})));
  put16(udp + 6, sum == 0 ? 0xffff : sum);  // RFC 768: zero would mean none
  return finish(time, at + payload, 0);
}

}  // namespace sojourn
