#pragma once
// Matches records of the first point to records of the last.

#include <span>
#include <vector>

#include "oneway/marking/marking_record.h"
#include "oneway/marking/marking_rules.h"

namespace sojourn {

/// Two records of the same flow and interval; one of them may be missing.
struct RecordPair {
  const MarkingRecord* first = nullptr;
  const MarkingRecord* last = nullptr;
  bool ambiguous = false;  ///< pulse marking: more than one pulse may be the partner

  std::uint32_t flow() const { return (first ? first : last)->flow; }
  MarkingInterval length() const { return (first ? first : last)->length; }
};

/// By flow and time.  Records of the same flow and interval are merged: a point may have read a
/// counter twice, when its clock stepped back or several threads counted.  Records of pulse marking
/// stay separate, and those without a pulse are left out.
std::vector<MarkingRecord> merged_by_interval(std::span<const MarkingRecord> records,
                                              MarkingMethod method);

/// With equal flow, length and number.  Both lists are as merged_by_interval() returns them.
std::vector<RecordPair> pair_by_interval(std::span<const MarkingRecord> first,
                                         std::span<const MarkingRecord> last);

/// A pulse has no colour, and a flow's first packet of an interval may come at any time in it.  Its
/// partner is the only pulse within half an interval, and must have no other partner itself.
std::vector<RecordPair> pair_by_pulse(std::span<const MarkingRecord> first,
                                      std::span<const MarkingRecord> last);

}  // namespace sojourn
