#pragma once
// GTP-U, the user plane of mobile networks.  Only for tunnels.cpp.

#include <algorithm>
#include <array>

#include "wire/tunnel_likeness.h"
#include "wire/walk.h"

namespace sojourn {

/// GTP-U, 3GPP TS 29.281 section 5.1; an IP packet follows.
struct GtpHeader {
  std::uint8_t flags;  // version 1 (3 bits), protocol type, reserved, E, S, PN
  std::uint8_t message;
  Be16 length;  // of what follows these eight bytes
  Be32 tunnel;

  static constexpr std::uint8_t user_data = 255;
  /// Section 7.1: all that this port has beside user data.
  bool is_signalling() const {
    constexpr std::array<std::uint8_t, 6> types{
        1,   2,   // echo
        26,  31,  // error indication, supported extension headers
        253, 254  // tunnel status, end marker
    };
    return std::ranges::find(types, message) != types.end();
  }
  bool has_optional() const { return (flags & 7u) != 0; }
  bool has_extension() const { return (flags & 4u) != 0; }
};
/// All four bytes are present if any of E, S and PN is set.
struct GtpOptional {
  Be16 sequence;
  std::uint8_t n_pdu;
  std::uint8_t next_extension;
};
static_assert(sizeof(GtpHeader) == 8 && sizeof(GtpOptional) == 4);

/// Section 5.2: the length in units of four bytes first, the next type last.
inline std::optional<Skip> skip_gtp_extensions(Cursor& rest, std::uint8_t next) {
  constexpr int longest_chain = 8;
  for (int extensions = 0; next != 0; ++extensions) {
    if (extensions == longest_chain) return Skip::too_deep;
    const auto* words = rest.peek<std::uint8_t>();
    if (!words) return Skip::truncated_tunnel;
    if (*words == 0) return Skip::bad_tunnel;
    const auto* last = rest.peek<std::uint8_t>(*words * 4u - 1u);
    if (!last || !rest.skip(*words * 4u)) return Skip::truncated_tunnel;
    next = *last;
  }
  return std::nullopt;
}

/// To the user's packet.
inline std::optional<Skip> skip_gtp_header(Cursor& rest) {
  const auto* header = rest.take<GtpHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->message != GtpHeader::user_data) return Skip::not_ip;
  if (!header->has_optional()) return std::nullopt;
  const auto* optional = rest.take<GtpOptional>();
  if (!optional) return Skip::truncated_tunnel;
  return header->has_extension() ? skip_gtp_extensions(rest, optional->next_extension)
                                 : std::nullopt;
}

inline Step read_gtp(LocatedPacket& at) {
  if (const auto skip = skip_gtp_header(at.rest)) return *skip;
  return read_any_ip;
}

inline Likeness likeness_of_gtp(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(GtpHeader))) return Likeness::header;
  const auto* header = suspect.payload.peek<GtpHeader>();
  if (!header || header->flags >> 4 != 3) return Likeness::none;
  const std::size_t end = sizeof(GtpHeader) + header->length;
  if (end > suspect.stated) return Likeness::none;
  // The length is where DNS has its flags: a query of 264 bytes agrees with it.
  const Likeness by_length = header_if(end == suspect.stated);
  if (header->message != GtpHeader::user_data) {
    if (!header->is_signalling()) return Likeness::none;
    return header->tunnel == 0 ? certain_if(end == suspect.stated) : by_length;
  }
  Cursor rest = suspect.payload;
  if (skip_gtp_header(rest)) return by_length;
  const std::size_t behind = suspect.payload.length() - rest.length();
  return std::max(
      {by_length, likeness_of_ipv4(suspect, behind), likeness_of_ipv6(suspect, behind)});
}

}  // namespace sojourn
