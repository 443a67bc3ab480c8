#pragma once
// How stores hand out what reference packets showed: an interval at a time.

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "store/references/reference_interval.h"

namespace sojourn {

struct ReferenceQuestion {
  std::string point;       ///< empty: all
  Timestamp from{}, to{};  ///< intervals that begin in this time
};

/// Whose it is (without intervals), and an interval.
using ReferenceVisitor = std::function<void(const PointReferences&, const ReferenceInterval&)>;

/// Joins the rows of a run's intervals and those of its flows, each in the order of time: neither
/// is left out where the other is missing.
class ReferenceJoiner {
 public:
  ReferenceJoiner(const PointReferences& run, const ReferenceVisitor& visit)
      : run_(run), visit_(visit) {}

  /// All intervals first, ...
  void interval(Timestamp begin, Timestamp end, const ReferenceSeen& seen) {
    waiting_[begin] = {begin, end, {}, seen};
  }
  /// ... then flows, ...
  void flow(Timestamp begin, Timestamp end, const ReferenceFlow& flow) {
    if (!is_open_ || begin != open_.begin) {
      hand_over();
      for (auto next = waiting_.begin(); next != waiting_.end() && next->first < begin;
           next = waiting_.erase(next))
        visit_(run_, next->second);
      auto known = waiting_.extract(begin);
      open_ = known ? std::move(known.mapped()) : ReferenceInterval{begin, end, {}, {}};
      is_open_ = true;
    }
    open_.flows.push_back(flow);
  }
  /// ... then the rest.
  void finish() {
    hand_over();
    for (const auto& [begin, interval] : waiting_) visit_(run_, interval);
    waiting_.clear();
  }

 private:
  void hand_over() {
    if (is_open_) visit_(run_, open_);
    is_open_ = false;
  }

  const PointReferences& run_;
  const ReferenceVisitor& visit_;
  std::map<Timestamp, ReferenceInterval> waiting_;
  ReferenceInterval open_;
  bool is_open_ = false;
};

}  // namespace sojourn
