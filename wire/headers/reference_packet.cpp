#include "wire/headers/reference_packet.h"

#include <bit>
#include <cstring>

namespace sojourn {

std::array<std::byte, sizeof(ReferencePacketHeader)> encode(const ReferencePacket& packet) {
  ReferencePacketHeader header;
  header.sender = packet.sender;
  header.sequence = packet.sequence;
  header.sent_ns = static_cast<std::uint64_t>(to_ns(packet.sent));
  return std::bit_cast<std::array<std::byte, sizeof header>>(header);
}

std::optional<ReferencePacket> decode_reference_packet(std::span<const std::byte> udp_payload) {
  ReferencePacketHeader header;
  if (udp_payload.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, udp_payload.data(), sizeof header);
  if (header.magic != ReferencePacketHeader::magic_number ||
      header.version != ReferencePacketHeader::current_version)
    return std::nullopt;
  return ReferencePacket{
      header.sender, header.sequence,
      timestamp_from_ns(static_cast<std::int64_t>(std::uint64_t{header.sent_ns}))};
}

}  // namespace sojourn
