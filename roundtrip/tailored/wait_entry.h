#pragma once
// What a line stores of a waiting request.

#include <cstdint>

#include "roundtrip/tailored/lease_plan.h"

namespace sojourn {

struct WaitEntry {
  unsigned step = 0;           ///< how long it may wait (WaitSteps)
  unsigned fingerprint = 0;    ///< as WaitLine::fingerprint_of() gives it
  unsigned stands_for = 0;     ///< StandsFor's code
  unsigned plan_parity = 0;    ///< of the number of the plan that it met: see PlanHistory
  std::int64_t age_ns = 0;     ///< when the line was read
  bool is_long_lived = false;  ///< it uses the plans for connections

  bool is_over() const { return age_ns > WaitSteps::longest_ns(step); }
};

}  // namespace sojourn
