#pragma once
// Ageing of slices, and which of them answer a question about a stretch of time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "store/common/or_return.h"
#include "store/store.h"

namespace sojourn {

/// The progress of a store's tiers.
struct TierState {
  std::array<Tier, 4> tiers = default_tiers;
  /// Slices before it in tier t are in tier t + 1 as well.
  std::array<Timestamp, 4> merged_until{};
  /// Slices before it are no longer in tier t.
  std::array<Timestamp, 4> dropped_until{};
};

/// Calls merge(tier, from, to) for slices that are complete by now and not in the next tier yet,
/// and drop(tier, before) for those whose retention time is over.  True if anything has changed.
template <class Merge, class Drop>
Result<bool> grow_old(TierState& state, Timestamp now, Merge merge, Drop drop) {
  bool changed = false;
  for (std::size_t tier = 0; tier < state.tiers.size(); ++tier) {
    const bool has_next = tier + 1 < state.tiers.size();
    if (has_next) {
      // Tier 1 is complete only as far as tier 0 has been merged into it, and so on.
      const Timestamp complete = tier == 0 ? now - merge_lateness : state.merged_until[tier - 1];
      const Timestamp until = slice_of(complete, state.tiers[tier + 1].slice);
      if (until > state.merged_until[tier]) {
        SOJOURN_OR_RETURN(merge(tier, state.merged_until[tier], until));
        state.merged_until[tier] = until;
        changed = true;
      }
    }
    Timestamp old = slice_of(now - state.tiers[tier].kept, state.tiers[tier].slice);
    if (has_next) old = std::min(old, state.merged_until[tier]);
    // Not at every write: data may be kept too long by a sixtieth of the tier's time.
    if (old < state.dropped_until[tier] + state.tiers[tier].kept / 60) continue;
    SOJOURN_OR_RETURN(drop(tier, old));
    state.dropped_until[tier] = old;
    changed = true;
  }
  return changed;
}

/// Slices of tier `tier` that begin in [from, to).
struct TierRange {
  std::size_t tier;
  Timestamp from, to;

  friend bool operator==(const TierRange&, const TierRange&) = default;
};

/// Ranges that together cover [from, to), each moment once: the longest slices where they fit, but
/// none longer than `longest`, and finer ones at the ends.  Data that exists only in long slices is
/// used as it is, so the answer may extend a little beyond the ends.
std::vector<TierRange> cover(const TierState& state, Timestamp from, Timestamp to,
                             Duration longest);

}  // namespace sojourn
