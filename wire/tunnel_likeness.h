#pragma once
// Whether a UDP datagram is the tunnel that its port announces.

#include <cstddef>
#include <cstdint>

#include "wire/headers/cursor.h"
#include "wire/headers/ipv6.h"
#include "wire/walk.h"

namespace sojourn {

/// A port alone does not identify a tunnel: it may be an ephemeral port.
enum class Likeness : std::uint8_t {
  none,
  header,   ///< the header is valid; what follows cannot be recognised, or was cut off
  certain,  ///< the header and what follows are valid
};

/// The payload of a UDP datagram that may be a tunnel.
struct Suspect {
  const Cursor& payload;
  std::size_t stated;  ///< its length by the UDP header

  /// Whether `size` bytes at `offset` were on the wire but not captured.
  bool is_cut(std::size_t offset, std::size_t size) const {
    return payload.captured().size() < offset + size && payload.length() >= offset + size;
  }
};

constexpr Likeness header_if(bool fits) { return fits ? Likeness::header : Likeness::none; }
constexpr Likeness certain_if(bool fits) { return fits ? Likeness::certain : Likeness::none; }

// Likeness of what should be at an offset; `header` if it was cut off.
inline Likeness likeness_of_ipv4(const Suspect& suspect, std::size_t offset) {
  const auto* ip = suspect.payload.peek<Ipv4Header>(offset);
  if (!ip) return header_if(suspect.is_cut(offset, sizeof(Ipv4Header)));
  return certain_if(ip->version() == 4 && ip->length() >= sizeof(Ipv4Header) &&
                    (ip->total_length == 0 || ip->total_length >= ip->length()));
}
inline Likeness likeness_of_ipv6(const Suspect& suspect, std::size_t offset) {
  const auto* ip = suspect.payload.peek<Ipv6Header>(offset);
  if (!ip) return header_if(suspect.is_cut(offset, sizeof(Ipv6Header)));
  return certain_if(ip->version() == 6);
}
inline Likeness likeness_of_frame(const Suspect& suspect, std::size_t offset) {
  constexpr std::size_t enough = sizeof(EthernetHeader) + sizeof(LlcHeader);
  if (suspect.is_cut(offset, enough)) return Likeness::header;
  return certain_if(looks_like_ethernet(suspect.payload, offset));
}

}  // namespace sojourn
