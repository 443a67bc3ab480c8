#pragma once
// What a line keeps of a waiting request.

#include <cstdint>

#include "roundtrip/tailored/lease_plan.h"

namespace sojourn {

struct WaitEntry {
  unsigned step = 0;           ///< how long it may wait (WaitSteps); 0 is an empty slot
  unsigned fingerprint = 0;    ///< as the line's fingerprint_of() gives it
  unsigned stands_for = 0;     ///< StandsFor's code
  std::int64_t age_ns = 0;     ///< at the time the line was looked at
  bool is_long_lived = false;  ///< only where the line tells

  bool is_over() const { return age_ns > WaitSteps::longest_ns(step); }
};

}  // namespace sojourn
