#include "pipeline/point/clock_state.h"

#include <sys/timex.h>

namespace sojourn {

ClockState read_clock_state() {
  timex state{};
  const int answer = ::adjtimex(&state);
  if (answer < 0) return {};
  return {.synchronised = answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0,
          .maximum_error = std::chrono::microseconds{state.maxerror}};
}

}  // namespace sojourn
