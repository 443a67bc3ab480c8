#pragma once
// Which requests and responses the rules look for.

#include <cstdint>

#include "core/kind.h"
#include "core/time.h"

namespace sojourn {

struct PairingOptions {
  KindSet kinds = KindSet::all();
  /// Only data segments of at least this IP length are requests of kind tcp: receivers tend to
  /// acknowledge full-size segments at once and small ones late (STAGED, "delayed ACKs").  0: all.
  std::uint32_t full_size = 0;
  /// A connection silent for this long is forgotten when room is needed.
  Duration idle = std::chrono::minutes{10};
};

}  // namespace sojourn
