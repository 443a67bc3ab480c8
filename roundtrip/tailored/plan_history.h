#pragma once
// Past plans: a request is weighted by the plan of its own time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/time.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/tuning.h"

namespace sojourn {

/// The last plans.  A new plan replaces the oldest only when no request of the oldest can still
/// be waiting.
class PlanHistory {
 public:
  static constexpr std::size_t most_plans = tailored_tuning.kept_plans;
  static_assert(most_plans % 2 == 0);

  explicit PlanHistory(const LeasePlan& first) {
    set(0, first, std::numeric_limits<std::int64_t>::min());
  }

  const LeasePlan& current() const { return plans_[newest_ % most_plans]; }
  std::int64_t current_since_ns() const { return since_ns_[newest_ % most_plans]; }

  /// Plans are numbered.  A request stores whether the number of its plan is odd.
  unsigned current_parity() const { return newest_ & 1; }

  /// The plan of that time; nullptr if it is forgotten.  The time may be rounded by less than the
  /// duration of a plan: the parity tells whether the one before or after was meant.
  const LeasePlan* at(std::int64_t time_ns, unsigned parity) const {
    const std::size_t known = std::min(newest_ + 1, most_plans);
    for (std::size_t back = 0; back < known; ++back) {
      const std::size_t number = newest_ - back;
      if (since_ns_[number % most_plans] > time_ns) continue;
      if ((number & 1) == parity) [[likely]]
        return &plans_[number % most_plans];
      const bool has_before = back + 1 < known, has_after = back > 0;
      if (!has_before && !has_after) return nullptr;
      const bool is_after =
          has_after &&
          (!has_before || difference_ns(since_ns_[(number + 1) % most_plans], time_ns) <
                              difference_ns(time_ns, since_ns_[number % most_plans]));
      return &plans_[(is_after ? number + 1 : number - 1) % most_plans];
    }
    return nullptr;
  }

  /// The first half of the entries is filled as needed; after that, plans are so far apart that
  /// half of the entries last for `longest`.
  bool may_add(std::int64_t now_ns, std::int64_t longest_ns) const {
    if (newest_ + 1 < most_plans / 2) return true;
    if (difference_ns(now_ns, current_since_ns()) <
        longest_ns / static_cast<std::int64_t>(most_plans / 2))
      return false;
    if (newest_ + 1 < most_plans) return true;
    // Requests of the oldest plan came before the second oldest began.
    return difference_ns(now_ns, since_ns_[(newest_ + 2) % most_plans]) > longest_ns;
  }
  /// As if the newest plan had applied from the beginning.
  void forget_others() {
    const LeasePlan kept = current();
    newest_ = 0;
    set(0, kept, std::numeric_limits<std::int64_t>::min());
  }
  void add(const LeasePlan& plan, std::int64_t now_ns) {
    set(++newest_ % most_plans, plan, now_ns);
  }

  /// No plan of a request that may still wait admitted coins from this value on.
  std::uint64_t no_coin_from(std::int64_t oldest_ns) const {
    std::uint64_t limit = 0;
    const std::size_t known = std::min(newest_ + 1, most_plans);
    for (std::size_t back = 0; back < known; ++back) {
      const std::size_t place = (newest_ - back) % most_plans;
      limit = std::max(limit, plans_[place].no_coin_from());
      if (since_ns_[place] <= oldest_ns) break;
    }
    return limit;
  }

 private:
  void set(std::size_t place, const LeasePlan& plan, std::int64_t since_ns) {
    plans_[place] = plan;
    since_ns_[place] = since_ns;
  }

  std::array<LeasePlan, most_plans> plans_{};
  std::array<std::int64_t, most_plans>
      since_ns_{};  ///< separate from the plans: a search reads only a few lines of it
  std::size_t newest_ = 0;
};

}  // namespace sojourn
