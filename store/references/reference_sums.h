#pragma once
// Many intervals of reference packets as one.

#include <cstddef>
#include <map>

#include "store/references/reference_interval.h"

namespace sojourn {

/// Counts add up; means and deviations are those of all packets together.  Memory: one entry for
/// each flow.
class ReferenceSums {
 public:
  void add(const ReferenceInterval& interval);

  std::size_t intervals() const { return intervals_; }
  /// From the first begin to the last end, flows in the order of their keys.
  ReferenceInterval total() const;

 private:
  std::map<FlowKey, ReferenceFlow> flows_;
  ReferenceSeen seen_;
  Timestamp begin_ = Timestamp::max(), end_ = Timestamp::min();
  std::size_t intervals_ = 0;
};

}  // namespace sojourn
