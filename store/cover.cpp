#include "store/cover.h"

#include <algorithm>

namespace sojourn {
namespace {

Timestamp rounded_up(Timestamp time, Duration length) {
  const Timestamp down = slice_of(time, length);
  return down == time ? time : down + length;
}

/// [from, to) with tiers up to `tier`.
void cover_with(const TierState& state, std::size_t tier, Timestamp from, Timestamp to,
                std::vector<TierRange>& ranges) {
  if (from >= to) return;
  const Duration length = state.tiers[tier].slice;
  if (tier == 0) {
    ranges.push_back({0, slice_of(from, length), rounded_up(to, length)});
    return;
  }
  // Only what the finer tier has passed on is complete here.
  const Timestamp complete = state.merged_until[tier - 1];
  Timestamp begin = rounded_up(from, length);
  Timestamp end = std::min(slice_of(to, length), slice_of(complete, length));
  // If the finer slices are gone, a long one that extends over the end is used.
  const Timestamp gone = state.dropped_until[tier - 1];
  if (slice_of(from, length) < gone) begin = slice_of(from, length);
  if (end < to && end < gone) end = std::min(rounded_up(to, length), slice_of(complete, length));
  if (begin >= end) return cover_with(state, tier - 1, from, to, ranges);
  cover_with(state, tier - 1, from, std::min(begin, to), ranges);
  ranges.push_back({tier, begin, end});
  cover_with(state, tier - 1, std::max(end, from), to, ranges);
}

}  // namespace

std::vector<TierRange> cover(const TierState& state, Timestamp from, Timestamp to,
                             Duration longest) {
  std::vector<TierRange> ranges;
  std::size_t tier = 0;
  // A finer tier that no longer covers the beginning would leave a gap.
  while (tier + 1 < state.tiers.size() &&
         (state.tiers[tier + 1].slice <= longest || state.dropped_until[tier] > from))
    ++tier;
  cover_with(state, tier, from, to, ranges);
  return ranges;
}

}  // namespace sojourn
