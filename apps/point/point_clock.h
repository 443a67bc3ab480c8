#pragma once
// This machine's clock, for points that count in intervals.

#include <sys/timex.h>

#include <chrono>
#include <optional>

#include "core/time.h"

namespace sojourn {

/// What the kernel says of its clock; nullopt if nobody keeps it.
inline std::optional<Duration> stated_clock_error() {
  timex clock{};
  if (::adjtimex(&clock) == TIME_ERROR || (clock.status & STA_UNSYNC) != 0) return std::nullopt;
  return std::chrono::microseconds{clock.maxerror};
}

}  // namespace sojourn
