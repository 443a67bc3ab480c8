#pragma once
// GRE: RFC 2784 and RFC 2890 (version 0), RFC 2637 (version 1, PPTP), and ERSPAN inside it.

#include <cstddef>
#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

struct GreHeader {
  Be16 flags{};  // checksum, routing, key, sequence; lower three bits: version
  Be16 type{};   // an EtherType

  static constexpr std::uint16_t has_checksum = 0x8000, has_routing = 0x4000, has_key = 0x2000,
                                 has_sequence = 0x1000, has_acknowledgment = 0x0080;

  unsigned version() const { return flags & 7u; }
  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
  /// Bytes of the optional fields behind this header; routing entries come on top.
  std::size_t optional_length() const {
    const bool checksum_word = has(has_checksum) || has(has_routing);
    return 4u * (std::size_t{checksum_word} + has(has_key) + has(has_sequence));
  }
};
static_assert(sizeof(GreHeader) == 4 && WireStruct<GreHeader>);

/// ERSPAN type II has 8 bytes, type III 12 and, with the O bit in the last, 8 more
/// (draft-foschiano-erspan-03).  Type I has none and is recognised by GRE's missing sequence
/// number.
inline constexpr std::size_t erspan2_length = 8, erspan3_length = 12, erspan3_subheader = 8;

}  // namespace sojourn
