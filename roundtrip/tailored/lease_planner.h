#pragma once
// How long requests may wait, now and in the past: the plans of a table, made as it learns.

#include <cstddef>
#include <cstdint>

#include "core/time.h"
#include "roundtrip/tailored/arrival_rate.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/plan_history.h"

namespace sojourn {

/// Made from the past only: from the arrival rate and the delays seen so far.  A request's own coin
/// is independent of what came before it, so weights by the plan of its time are as fair as with a
/// fixed plan.
class LeasePlanner {
 public:
  struct Options {
    Duration longest;  ///< the longest delay of interest
    Duration expire;   ///< when a plan may be forgotten: no request waits longer
    std::size_t slots;
    unsigned slots_a_line;
    std::size_t lines;
    bool for_long_lived;  ///< few, and they wait longer than the measurement so far
  };

  explicit LeasePlanner(const Options& options);

  /// A request came.  Occasionally true, if the plan may have changed.
  bool asked(std::int64_t now_ns) {
    return ++since_tuning_ == tailored_tuning.requests_a_look && tune(now_ns);
  }
  /// A pair was seen whose delay is covered by that step.
  void answered(std::int64_t delay_ns, unsigned step, double weight, std::int64_t now_ns) {
    tailor_.add_in_step(step, weight * rate_.shown_after(delay_ns, now_ns));
  }

  const LeasePlan& current() const { return plans_.current(); }
  unsigned current_parity() const { return plans_.current_parity(); }
  const LeasePlan* at(std::int64_t time_ns, unsigned parity) const {
    return plans_.at(time_ns, parity);
  }
  /// The last step that requests with the shorter timeout may wait.
  unsigned last_step() const { return last_step_; }
  std::uint64_t no_coin_from(std::int64_t oldest_ns) const {
    return plans_.no_coin_from(oldest_ns);
  }
  /// The rate is known from the second look on; until then every request was admitted, for as long
  /// as any may wait.
  static constexpr std::size_t first_requests = std::size_t{2} * tailored_tuning.requests_a_look;
  /// True at that look, if the plan admits far fewer.
  bool first_was_generous() const {
    return rate_.calls() == 2 && plans_.current().chance(1) < tailored_tuning.generous_below;
  }
  void forget_others() { plans_.forget_others(); }

 private:
  bool tune(std::int64_t now_ns);
  LeasePlan plan_for(double slots_a_request_ns, std::int64_t elapsed_ns) const;

  Options options_;
  unsigned last_step_;
  LeaseTailor tailor_;
  ArrivalRate rate_;
  double planned_for_ =
      1e18;  ///< slots per request and nanosecond, of the current plan; at first unlimited
  PlanHistory plans_;
  std::uint32_t since_tuning_ = 0;
  std::uint64_t learn_at_ = tailored_tuning.first_lesson;
  std::int64_t planned_after_ns_ = 0;
};

}  // namespace sojourn
