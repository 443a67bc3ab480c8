#pragma once
// QUIC as far as an observer can read it: RFC 8999, RFC 9000 section 17, RFC 9369, RFC 9312.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

struct QuicPacket {
  bool long_header = false;
  bool initial = false;  ///< long header of type Initial
  bool spin = false;     ///< short header's spin bit, RFC 9000 section 17.4
};

inline constexpr std::uint32_t quic_version1 = 1, quic_version2 = 0x6b3343cf;

/// Versions that have been in use: the RFCs, IETF drafts, and reserved ones that exercise version
/// negotiation (?a?a?a?a).  Experimental versions are mostly in ASCII (Google's Q046, picoquic's
/// PCQ0, quant's EGG\x16) or a pattern (Facebook's faceb00?, f?f?f?f?).
constexpr bool is_known_quic_version(std::uint32_t version) {
  return version == quic_version1 || version == quic_version2 || version >> 8 == 0xff0000u ||
         (version & 0x0f0f0f0fu) == 0x0a0a0a0au || version >> 8 == 0xfaceb0u ||
         (version & 0xf0f0f0f0u) == 0xf0f0f0f0u || version >> 12 == 0x51303u ||
         version >> 12 == 0x54303u || version >> 8 == 0x504351u || version >> 8 == 0x454747u;
}

/// Drafts before 22, and Google's Q046, pack both connection identifiers' lengths into one byte.
constexpr bool packs_connection_id_lengths(std::uint32_t version) {
  return (version >> 8 == 0xff0000u && (version & 0xffu) < 22) || version == 0x51303436u;
}

/// RFC 9369 section 3.2 turns the types by one: Initial is 1 instead of 0.
constexpr bool is_quic_initial(std::uint8_t first, std::uint32_t version) {
  return (first & 0x30u) == (version == quic_version2 ? 0x10u : 0x00u);
}

/// What a UDP payload would be if it were QUIC.
///
/// A short header can be recognised only by its minimum size, so it is only a candidate; the caller
/// has to remember whether the conversation began with long headers.  Its fixed bit (0x40) is no
/// evidence, since endpoints may agree to send it at random (RFC 9287).  Skipping the packets
/// without it would move the edges of the spin bit.
/// Version negotiation (version 0) belongs to no version's handshake and gives nullopt.
inline std::optional<QuicPacket> glance_at_quic(std::span<const std::byte> captured,
                                                std::size_t payload) {
  // A protected packet has 16 bytes of sample from the fourth byte of its packet number on
  // (RFC 9001 section 5.4.2); shorter ones cannot exist.
  constexpr std::size_t shortest = 1 + 4 + 16;
  if (captured.empty() || payload < shortest) return std::nullopt;

  const auto first = std::to_integer<std::uint8_t>(captured[0]);
  const bool is_long = (first & 0x80u) != 0;
  if (!is_long) return QuicPacket{.spin = (first & 0x20u) != 0};

  if (captured.size() < 6) return std::nullopt;
  const auto version = load_network<std::uint32_t>(&captured[1]);
  if (version == 0 || !is_known_quic_version(version)) return std::nullopt;
  constexpr unsigned longest_connection_id = 20;
  if (!packs_connection_id_lengths(version) &&
      std::to_integer<unsigned>(captured[5]) > longest_connection_id)
    return std::nullopt;
  return QuicPacket{.long_header = true, .initial = is_quic_initial(first, version)};
}

}  // namespace sojourn
