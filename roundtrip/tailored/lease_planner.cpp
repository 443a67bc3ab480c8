#include "roundtrip/tailored/lease_planner.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "roundtrip/tailored/lease_room.h"

namespace sojourn {
namespace {

// Mean wait times arrivals, by slots.  Answers free slots early and the longest waits fill their
// share late; of what is offered in vain, the weights take care.
constexpr double offered = 2;

// Where slots are scarce, little is kept for the unknown: with a fixed 1 % share of all delays the
// longest waits took half of the memory of L2.  A plan scaled to its room gives the unseen less
// than it planned, since its chances stop at 1 for the others only; these did best of a handful on
// three captures (docs/design/tailored.md).
constexpr LeaseCaution scarce{}, ample{.memory_for_unseen = 0.3, .untried_decay = 0.6};
// Connections, not packets: seconds are usual.
constexpr LeaseCaution lives{
    .memory_for_unseen = 0.3, .untried_decay = 0.6, .first_guess_ns = 10e9};
// An hour's wait costs nothing in the first minute.  Plans are made anew as time goes on, and look
// this much ahead.
constexpr double look_ahead = 8;

}  // namespace

LeasePlanner::LeasePlanner(const Options& options)
    : options_(options),
      last_step_(std::min(WaitSteps::covering(to_ns(options.longest)), WaitSteps::count - 1)),
      tailor_(options.longest, options.fine_steps != 0  ? scarce
                               : options.for_long_lived ? lives
                                                        : ample),
      plans_(plan_for(planned_for_, 0)) {}

bool LeasePlanner::tune(std::int64_t now_ns) {
  since_tuning_ = 0;
  rate_.add(tuning_interval, now_ns);
  tailor_.add_requests(tuning_interval);
  const double room = static_cast<double>(options_.slots) / std::max(rate_.a_nanosecond(), 1e-12);
  const bool knows_more = tailor_.samples() >= learn_at_;
  // The longer we look, the longer the delays that would have been seen.
  const std::int64_t elapsed_ns = rate_.elapsed_ns(now_ns), expire_ns = to_ns(options_.expire);
  const bool looked_longer =
      elapsed_ns > planned_after_ns_ + planned_after_ns_ / 3 && planned_after_ns_ < 4 * expire_ns;
  if (!knows_more && !looked_longer && room < 1.25 * planned_for_ && room > planned_for_ / 1.25)
    return false;
  if (!plans_.may_add(now_ns, expire_ns)) return false;
  if (knows_more) {
    learn_at_ = std::max<std::uint64_t>(2 * learn_at_, 32);
    if (learn_at_ > 16'384) {
      tailor_.fade();
      learn_at_ = tailor_.samples() + 16'384;
    }
  }
  planned_for_ = room;
  planned_after_ns_ = std::max<std::int64_t>(elapsed_ns, 100'000'000);
  plans_.add(plan_for(room, elapsed_ns), now_ns - options_.rounded_ns);
  return true;
}

LeasePlan LeasePlanner::plan_for(double slots_a_request_ns, std::int64_t elapsed_ns) const {
  if (options_.fine_steps != 0) return coarse_plan_for(slots_a_request_ns, elapsed_ns);
  return LeasePlan{scaled_to_room(
      tailor_.shape(elapsed_ns),
      {.slots_a_line = options_.slots_a_line,
       .slots_a_request_ns = slots_a_request_ns,
       .horizon_ns =
           options_.for_long_lived ? look_ahead * static_cast<double>(elapsed_ns) : no_horizon,
       .unanswered = tailor_.unanswered()})};
}

LeasePlan LeasePlanner::coarse_plan_for(double slots_a_request_ns, std::int64_t elapsed_ns) const {
  const unsigned fine_steps = options_.fine_steps;
  auto chances = scaled_to(tailor_.shape(elapsed_ns), offered * slots_a_request_ns);
  // Only the long-lived wait beyond the last step.  They are few, so nothing is planned for them.
  for (unsigned j = last_step_ + 1; j < WaitSteps::count; ++j)
    chances[j] = chances[j - 1] * std::sqrt(std::sqrt(0.5));
  // Not all may wait so long that their clocks are too coarse for a short delay.
  const unsigned coarse_from = tailor_.shortest_step() + fine_steps + 1;
  for (unsigned j = fine_steps + 1; j < WaitSteps::count; ++j) {
    chances[j] = std::min(chances[j], 0.875 * chances[j - fine_steps - 1]);
    if (j >= coarse_from) chances[j] = std::min(chances[j], 0.25 * chances[1]);
  }
  return LeasePlan{chances};
}

}  // namespace sojourn
