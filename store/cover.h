#pragma once
// Which slices of which tier answer a question about a stretch of time.

#include <array>
#include <span>
#include <vector>

#include "core/time.h"
#include "store/store.h"

namespace sojourn {

/// How far a store's tiers have come.
struct TierState {
  std::array<Tier, 4> tiers = default_tiers;
  /// What lies before it in tier t is in tier t + 1 as well.
  std::array<Timestamp, 4> merged_until{};
  /// What lies before it is no longer in tier t.
  std::array<Timestamp, 4> dropped_until{};
};

/// Slices of tier `tier` that begin in [from, to).
struct TierRange {
  std::size_t tier;
  Timestamp from, to;

  friend bool operator==(const TierRange&, const TierRange&) = default;
};

/// Ranges that together cover [from, to), each moment once: the longest slices where they fit, but
/// none longer than `longest`, and finer ones at the ends.  What exists in long slices only is
/// taken as it is, so the answer may reach a little beyond the ends.
std::vector<TierRange> cover(const TierState& state, Timestamp from, Timestamp to,
                             Duration longest);

}  // namespace sojourn
