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

/// Of something that ends at `end` by its own length field.  One payload in a thousand has a length
/// there that leaves room behind it; if both ends agree, that is no accident.
constexpr Likeness likeness_of_end(const Suspect& suspect, std::size_t end) {
  return end == suspect.stated ? Likeness::certain : header_if(end < suspect.stated);
}

// Likeness of what should be at an offset; `header` if it was cut off before that can be told.
// Segmentation offload and jumbograms leave a length of 0, which says nothing.
inline Likeness likeness_of_ipv4(const Suspect& suspect, std::size_t offset) {
  const auto* first = suspect.payload.peek<std::uint8_t>(offset);
  if (first && (*first >> 4 != 4 || (*first & 0xfu) < 5)) return Likeness::none;
  const auto* ip = suspect.payload.peek<Ipv4Header>(offset);
  if (!ip) return header_if(suspect.is_cut(offset, sizeof(Ipv4Header)));
  if (ip->total_length == 0) return Likeness::header;
  if (ip->total_length < ip->length()) return Likeness::none;
  return likeness_of_end(suspect, offset + ip->total_length);
}
inline Likeness likeness_of_ipv6(const Suspect& suspect, std::size_t offset) {
  const auto* first = suspect.payload.peek<std::uint8_t>(offset);
  if (first && *first >> 4 != 6) return Likeness::none;
  const auto* ip = suspect.payload.peek<Ipv6Header>(offset);
  if (!ip) return header_if(suspect.is_cut(offset, sizeof(Ipv6Header)));
  if (ip->payload_length == 0) return Likeness::header;
  return likeness_of_end(suspect, offset + sizeof(Ipv6Header) + ip->payload_length);
}
inline Likeness likeness_of_frame(const Suspect& suspect, std::size_t offset) {
  constexpr std::size_t enough = sizeof(EthernetHeader) + sizeof(LlcHeader);
  if (suspect.is_cut(offset, enough)) return Likeness::header;
  return certain_if(looks_like_ethernet(suspect.payload, offset));
}

}  // namespace sojourn
