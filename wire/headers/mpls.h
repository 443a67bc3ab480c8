#pragma once
// MPLS label stack entry, RFC 3032 section 2.1.

#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

struct MplsLabel {
  Be32 entry{};  // label (20 bits), traffic class (3), bottom of stack (1), time to live (8)

  static MplsLabel of(std::uint32_t label, bool bottom) {
    return {Be32{label << 12 | (bottom ? 0x100u : 0u) | 64u}};
  }
  bool bottom() const { return (entry & 0x100u) != 0; }
};
static_assert(sizeof(MplsLabel) == 4 && WireStruct<MplsLabel>);

}  // namespace sojourn
