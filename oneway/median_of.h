#pragma once
// The median of some delays.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "core/time.h"

namespace sojourn {

/// The upper one of the two middle values if their number is even.  At least one delay.
inline Duration median_of(std::vector<Duration> delays) {
  assert(!delays.empty());
  const auto middle = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2);
  std::ranges::nth_element(delays, middle);
  return *middle;
}

}  // namespace sojourn
