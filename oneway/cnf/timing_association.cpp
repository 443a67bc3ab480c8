// The timing checks C1 to C5 of CNF section III-D.

#include <optional>

#include "oneway/cnf/association.h"
#include "oneway/cnf/record_order.h"

namespace sojourn {
namespace {

/// Iterates over the records of one key at both points.
class TimingChecks {
 public:
  TimingChecks(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
               const TimingLimits& limits, TimingAssociation& result)
      : first_(first), last_(last), limits_(limits), result_(result) {}

  void visit(std::span<const std::uint32_t> ours, std::span<const std::uint32_t> theirs) {
    // State of C5: out of step since a discard, until both points have paused.
    bool out_of_step = false;
    std::optional<Timestamp> previous_sent, previous_received;
    std::size_t there = 0;
    for (const std::uint32_t index : ours) {
      const FlowRecord& sent = first_[index];
      ++result_.survival.records;
      // A windowed search: a record that arrived too early for this one is too early for all later
      // ones.
      while (there < theirs.size() && last_[theirs[there]].first < sent.first + earliest())
        previous_received = last_[theirs[there++]].last;
      std::size_t candidate = there;
      while (candidate < theirs.size() && compatible_first(sent, last_[theirs[candidate]]) &&
             !compatible(sent, last_[theirs[candidate]]))
        ++candidate;
      const bool found = candidate < theirs.size() && compatible(sent, last_[theirs[candidate]]);
      const FlowRecord* received = found ? &last_[theirs[candidate]] : nullptr;
      if (out_of_step && received && paused(previous_sent, sent.first) &&
          paused(previous_received, received->first))
        out_of_step = false;
      const int passed = received ? checks_passed(sent, *received) : 0;
      for (int check = 0; check < passed; ++check)
        ++result_.survival.after[static_cast<std::size_t>(check)];
      if (passed == 4 && !out_of_step) {
        ++result_.survival.after[4];
        accept(index, sent, *received);
      } else {
        ++result_.association.unmatched;
        if (received) out_of_step = true;
      }
      if (found) {
        previous_received = received->last;
        there = candidate + 1;
      }
      previous_sent = sent.last;
    }
  }

 private:
  Duration earliest() const { return limits_.shortest_propagation - limits_.clock_error; }
  Duration latest() const {
    return limits_.longest_propagation + limits_.longest_processing + limits_.clock_error;
  }
  bool compatible(Timestamp sent, Timestamp received) const {
    return received >= sent + earliest() && received <= sent + latest();
  }
  bool compatible_first(const FlowRecord& sent, const FlowRecord& received) const {
    return compatible(sent.first, received.first);
  }
  /// C1
  bool compatible(const FlowRecord& sent, const FlowRecord& received) const {
    return compatible_first(sent, received) && compatible(sent.last, received.last);
  }
  bool paused(const std::optional<Timestamp>& previous, Timestamp next) const {
    return !previous || difference(next, *previous) > limits_.inactive_timeout;
  }

  /// How many of C1 to C4 hold, in order; C1 holds.
  int checks_passed(const FlowRecord& sent, const FlowRecord& received) const {
    if (received.packets != sent.packets || received.bytes != sent.bytes) return 1;  // C2
    // The latest time at which the receiver's last packet can have been sent, within the timeouts.
    const Timestamp sent_by = received.last - limits_.shortest_propagation + limits_.clock_error;
    if (!(sent_by < sent.first + limits_.active_timeout)) return 2;   // C3
    if (!(sent_by < sent.last + limits_.inactive_timeout)) return 3;  // C4
    return 4;
  }

  void accept(std::uint32_t index, const FlowRecord& sent, const FlowRecord& received) {
    AssociatedFlow flow{index, received.first - sent.first, std::nullopt};
    if (sent.packets > 1) flow.last_delay = received.last - sent.last;
    result_.association.flows.push_back(flow);
  }

  std::span<const FlowRecord> first_, last_;
  const TimingLimits& limits_;
  TimingAssociation& result_;
};

}  // namespace

TimingAssociation associate_by_timing(std::span<const FlowRecord> first,
                                      std::span<const FlowRecord> last,
                                      const TimingLimits& limits) {
  TimingAssociation result;
  TimingChecks checks{first, last, limits, result};
  for_each_key(first, last,
               [&](std::span<const std::uint32_t> ours, std::span<const std::uint32_t> theirs) {
                 checks.visit(ours, theirs);
               });
  return result;
}

}  // namespace sojourn
