#pragma once
// Headers of what tunnels through UDP: VXLAN, GENEVE, GTP-U, L2TP, Teredo, AYIYA.

#include <cstddef>
#include <cstdint>

#include "wire/headers/endian.h"
#include "wire/headers/ipv4.h"

namespace sojourn {

/// RFC 7348 section 5; a whole Ethernet frame follows.
struct VxlanHeader {
  std::uint8_t flags = 0x08;  // the identifier is valid
  std::uint8_t reserved1[3] = {};
  Be32 identifier_and_reserved{};

  static constexpr std::uint16_t port = 4789, linux_port = 8472;
  bool plausible() const { return (flags & 0x08u) != 0; }
};
static_assert(sizeof(VxlanHeader) == 8 && WireStruct<VxlanHeader>);

/// RFC 8926 section 3.4; options, then a payload of the EtherType given.
struct GeneveHeader {
  std::uint8_t version_and_options = 0;  // 2 bits; options' length in 32-bit words
  std::uint8_t flags = 0;
  Be16 type{};
  Be32 identifier_and_reserved{};

  static constexpr std::uint16_t port = 6081;
  bool plausible() const { return version_and_options >> 6 == 0; }
  std::size_t options_length() const { return (version_and_options & 0x3fu) * 4u; }
};
static_assert(sizeof(GeneveHeader) == 8 && WireStruct<GeneveHeader>);

/// 3GPP TS 29.281 section 5.1; an IP packet follows.
struct GtpHeader {
  std::uint8_t flags = 0x30;  // version 1 (3 bits), protocol type, reserved, E, S, PN
  std::uint8_t message = user_data;
  Be16 length{};  // of what follows these eight bytes
  Be32 tunnel{};

  static constexpr std::uint16_t port = 2152;
  static constexpr std::uint8_t user_data = 255;
  bool plausible() const { return flags >> 4 == 3; }
  bool has_optional() const { return (flags & 7u) != 0; }
  bool has_extension() const { return (flags & 4u) != 0; }
};
/// All four bytes are there if any of E, S and PN is set.
struct GtpOptional {
  Be16 sequence{};
  std::uint8_t n_pdu = 0;
  std::uint8_t next_extension = 0;
};
static_assert(sizeof(GtpHeader) == 8 && sizeof(GtpOptional) == 4);

/// RFC 2661 section 3.1, and of its fields only the one that tells which others follow.
struct L2tpFlags {
  Be16 flags{};

  static constexpr std::uint16_t port = 1701;
  static constexpr std::uint16_t control = 0x8000, has_length = 0x4000, has_sequence = 0x0800,
                                 has_offset = 0x0200;
  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
  bool plausible() const { return (flags & 0xfu) == 2; }
};
static_assert(sizeof(L2tpFlags) == 2 && WireStruct<L2tpFlags>);

/// RFC 4380 section 5.1.1: indications that may precede the IPv6 packet.
struct TeredoIndication {
  std::uint8_t zero = 0;
  std::uint8_t kind = origin;

  static constexpr std::uint16_t port = 3544;
  static constexpr std::uint8_t origin = 0, authentication = 1;
  static constexpr std::size_t origin_length = 8, authentication_length = 13;  // + two strings
};

/// draft-massar-v6ops-ayiya-02 section 3; identity and signature follow.
struct AyiyaHeader {
  std::uint8_t identity = 0;         // length as a power of two (4 bits), type
  std::uint8_t signature = 0;        // length in 32-bit words (4 bits), hash method
  std::uint8_t operation = forward;  // authentication method (4 bits), operation
  IpProtocol next_header{};
  Be32 epoch{};

  static constexpr std::uint16_t port = 5072;
  static constexpr std::uint8_t forward = 1;
  bool plausible() const { return (operation & 0xfu) == forward; }
  std::size_t variable_length() const {
    return (std::size_t{1} << (identity >> 4)) + (signature >> 4) * 4u;
  }
};
static_assert(sizeof(AyiyaHeader) == 8 && WireStruct<AyiyaHeader>);

}  // namespace sojourn
