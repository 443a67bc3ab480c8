#pragma once
// What live points know of their intervals beside the counters: reasons not to give a figure.

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "oneway/marking/marking_collector.h"

namespace sojourn {

/// Nothing of it holds for captures.
class LiveDoubts {
 public:
  LiveDoubts(MarkingMethod method, const PointRecords& first, const PointRecords& last);

  void add_to(MarkingResult& result) const;

 private:
  using Place = std::pair<std::uint32_t, std::int64_t>;  ///< flow and interval

  /// Packets that the first point left alone reach the last one as they are.  If more come than
  /// left, around the same time, then somebody has given marked ones another value.
  void find_other_values(const PointRecords& first, const PointRecords& last);
  /// The clock's colour alternates and that of the packets does not: somebody clears the bits, or
  /// sets them all.  If every interval has the other colour, the colours are the other way round.
  void find_constant_colours(const PointRecords& last);

  const PointRecords& first_;
  const PointRecords& last_;
  std::set<Place> rewritten_, in_use_;
};

}  // namespace sojourn
