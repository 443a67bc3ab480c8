#pragma once
// GTP-U, the user plane of mobile networks.  Only for tunnels.cpp.

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

inline Step read_gtp(LocatedPacket& at) {
  const auto* header = at.rest.take<GtpHeader>();
  if (!header) return Skip::truncated_tunnel;
  if (header->message != GtpHeader::user_data) return Skip::not_ip;
  if (header->has_optional()) {
    const auto* optional = at.rest.take<GtpOptional>();
    if (!optional) return Skip::truncated_tunnel;
    if (header->has_extension())
      if (const auto skip = skip_gtp_extensions(at.rest, optional->next_extension)) return *skip;
  }
  return read_any_ip;
}

inline Likeness likeness_of_gtp(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(GtpHeader))) return Likeness::header;
  const auto* header = suspect.payload.peek<GtpHeader>();
  if (!header || header->flags >> 4 != 3) return Likeness::none;
  const std::size_t end = sizeof(GtpHeader) + header->length;
  return end == suspect.stated ? Likeness::certain : header_if(end < suspect.stated);
}

}  // namespace sojourn
