#pragma once
// What live points know about their intervals besides the counters: reasons to give no figure.

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "oneway/marking/marking_collector.h"

namespace sojourn {

/// Does not apply to captures.
class LiveDoubts {
 public:
  LiveDoubts(MarkingMethod method, const PointRecords& first, const PointRecords& last);

  void add_to(MarkingResult& result) const;

 private:
  using Place = std::pair<std::uint32_t, std::int64_t>;  ///< flow and interval

  /// Packets that the first point left unmarked reach the last one unchanged.  If more arrive than
  /// left, around the same time, a device has rewritten marked ones.
  void find_other_values(const PointRecords& first, const PointRecords& last);
  /// The clock's colour alternates and that of the packets does not: a device clears the bits, or
  /// sets them all.  If every interval has the other colour, the colours are reversed.
  void find_constant_colours(const PointRecords& last);

  const PointRecords& first_;
  const PointRecords& last_;
  std::set<Place> rewritten_, in_use_;
};

}  // namespace sojourn
