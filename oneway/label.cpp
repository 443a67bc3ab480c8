#include "oneway/label.h"

#include <algorithm>
#include <cstring>

#include "oneway/bob_hash.h"
#include "wire/headers/endian.h"

namespace sojourn {
namespace {

/// Offset of the checksum in the transport header; 0 if there is none to leave out.
constexpr std::size_t checksum_offset(IpProtocol protocol) {
  return protocol == IpProtocol::tcp ? 16 : protocol == IpProtocol::udp ? 6 : 0;
}

std::uint64_t load_word(const std::byte* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

}  // namespace

InvariantBytes::InvariantBytes(const IpPacket& packet, const LabelOptions& options) {
  append_header(packet);
  append_payload(packet, options);
}

void InvariantBytes::append_header(const IpPacket& packet) {
  const std::byte* const ip = packet.ip;
  if (!packet.is_ipv6) {
    std::memcpy(bytes_.data(), ip + 4, 4);
    bytes_[2] &= std::byte{0x7f};  // the reserved flag
    std::memcpy(bytes_.data() + 4, ip + 12, 8);
    size_ = 12;
    return;
  }
  const Be16 length = static_cast<std::uint16_t>(packet.transport_length());
  std::memcpy(bytes_.data(), &length, 2);
  size_ = 2;
  for (const std::size_t address : {8u, 24u}) {
    std::memcpy(bytes_.data() + size_, ip + address + 9, 2);  // the RFC counts bytes from 1
    std::memcpy(bytes_.data() + size_ + 2, ip + address + 13, 3);
    size_ += 5;
  }
  if (packet.fragment_offset == 0) return;
  std::memcpy(bytes_.data() + size_, ip + packet.fragment_offset + 2, 6);
  size_ += 6;
}

void InvariantBytes::append_payload(const IpPacket& packet, const LabelOptions& options) {
  const std::size_t on_wire = packet.transport_length(), from = options.payload_offset;
  if (on_wire <= from) return;
  const std::size_t wanted =
      std::min<std::size_t>({options.payload_bytes, most_payload, on_wire - from});
  const auto captured = packet.transport();
  const std::size_t there = captured.size() > from ? std::min(wanted, captured.size() - from) : 0;
  cut_ = there < wanted;
  if (there == 0) return;
  std::memcpy(bytes_.data() + size_, captured.data() + from, there);
  if (!packet.later_fragment) {
    const std::size_t checksum = checksum_offset(packet.protocol);
    for (std::size_t i = checksum; checksum > 0 && i < checksum + 2; ++i)
      if (i >= from && i - from < there) bytes_[size_ + i - from] = std::byte{0};
  }
  size_ += there;
}

IpsxInput ipsx_input(const IpPacket& packet) {
  InvariantBytes invariant{packet, {.payload_offset = 4, .payload_bytes = 4}};
  // Header words first: the RFC's three for IPv4; for IPv6, which the RFC does not cover, the 12
  // bytes that BOB reads.  The extra bytes of an IPv6 fragment and a payload that is too short
  // count as zeros.
  const auto bytes = invariant.bytes();
  const auto word = [&](std::size_t at) {
    return bytes.size() >= at + 4 ? load_network<std::uint32_t>(bytes.data() + at) : 0;
  };
  return {word(0), word(4), word(8),
          packet.is_ipv6 && packet.fragment_offset != 0 ? word(18) : word(12)};
}

std::uint32_t label_of(const IpPacket& packet, const LabelOptions& options) {
  if (options.function == LabelFunction::ipsx) return ipsx_hash(ipsx_input(packet));
  return BobHash::of(InvariantBytes{packet, options}.bytes(), options.init);
}

std::uint64_t identity_of(const IpPacket& packet, const InvariantBytes& invariant,
                          const HashKey& key) {
  const auto bytes = invariant.bytes();
  // Sixteen bytes a step.  The length comes first, since the last step is padded with zeros.
  std::uint64_t state = packet.flow ^ key.secret[0] ^ (bytes.size() * 0x9e3779b97f4a7c15u);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > 16; left -= 16, at += 16)
    state = fold_multiply(load_word(at, 8) ^ key.secret[1], load_word(at + 8, 8) ^ state);
  const std::uint64_t low = load_word(at, std::min<std::size_t>(left, 8));
  const std::uint64_t high = left > 8 ? load_word(at + 8, left - 8) : 0;
  state = fold_multiply(low ^ key.secret[1], high ^ state);
  return fold_multiply(state ^ key.secret[2], key.secret[3]);
}

}  // namespace sojourn
