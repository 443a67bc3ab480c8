#pragma once
// MPLS label stack entry, RFC 3032 section 2.1.

#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

struct MplsLabel {
  Be32 entry{};  // label (20 bits), traffic class (3), bottom of stack (1), time to live (8)

  bool bottom() const { return (entry & 0x100u) != 0; }
};
static_assert(sizeof(MplsLabel) == 4 && WireStruct<MplsLabel>);

}  // namespace sojourn
