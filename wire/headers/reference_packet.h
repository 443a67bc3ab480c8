#pragma once
// RLI's reference packet on the wire: a UDP datagram that says when it was sent.
//
// With its 20 bytes it makes an IPv4 packet of 48, the size that the RLI paper assumes (40 bytes of
// header and an 8-byte timestamp).  In a capture it is recognised by the magic and the version, on
// any port.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/time.h"
#include "wire/headers/endian.h"

namespace sojourn {

struct ReferencePacketHeader {
  static constexpr std::uint32_t magic_number = 0x534a5246;  ///< "SJRF"
  static constexpr std::uint8_t current_version = 1;

  Be32 magic{magic_number};
  std::uint8_t version = current_version;
  std::uint8_t reserved = 0;  ///< sent as 0, ignored by receivers
  Be16 sender{};              ///< which generator; several may share a path
  Be32 sequence{};            ///< counts up by one per packet and sender, and wraps
  Be64 sent_ns{};             ///< nanoseconds since 1970, by the sender's clock
};
static_assert(sizeof(ReferencePacketHeader) == 20 && WireStruct<ReferencePacketHeader>);

struct ReferencePacket {
  std::uint16_t sender = 0;
  std::uint32_t sequence = 0;
  Timestamp sent{};

  friend bool operator==(const ReferencePacket&, const ReferencePacket&) = default;
};

/// The default port of reference packets.  Receivers recognise them by content, not by port.
inline constexpr std::uint16_t default_reference_port = 4747;

/// The UDP payload.
std::array<std::byte, sizeof(ReferencePacketHeader)> encode(const ReferencePacket& packet);

/// nullopt if the payload is something else, or a version that we do not know.  What follows the
/// header is padding.
std::optional<ReferencePacket> decode_reference_packet(std::span<const std::byte> udp_payload);

}  // namespace sojourn
