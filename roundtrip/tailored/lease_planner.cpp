#include "roundtrip/tailored/lease_planner.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "roundtrip/tailored/lease_room.h"

namespace sojourn {

LeasePlanner::LeasePlanner(const Options& options)
    : options_(options),
      last_step_(std::min(WaitSteps::covering(to_ns(options.longest)), WaitSteps::count - 1)),
      tailor_(options.longest,
              options.for_long_lived ? tailored_tuning.connections : tailored_tuning.packets),
      plans_(plan_for(planned_for_, 0)) {}

bool LeasePlanner::tune(std::int64_t now_ns) {
  since_tuning_ = 0;
  rate_.add(tailored_tuning.requests_a_look, now_ns);
  tailor_.add_requests(tailored_tuning.requests_a_look);
  // No rate is known at the first look; one request in 17 minutes is as good as none.
  const double room = static_cast<double>(options_.slots) / std::max(rate_.a_nanosecond(), 1e-12);
  const bool knows_more = tailor_.samples() >= learn_at_;
  // The longer the measurement, the longer the delays that it could have seen.
  const std::int64_t elapsed_ns = rate_.elapsed_ns(now_ns), expire_ns = to_ns(options_.expire);
  const bool looked_longer =
      elapsed_ns > planned_after_ns_ + planned_after_ns_ / tailored_tuning.longer_part &&
      planned_after_ns_ < tailored_tuning.longest_waits_looked * expire_ns;
  if (!knows_more && !looked_longer && room < tailored_tuning.rate_change * planned_for_ &&
      room > planned_for_ / tailored_tuning.rate_change)
    return false;
  if (!plans_.may_add(now_ns, expire_ns)) return false;
  if (knows_more) {
    learn_at_ *= 2;
    if (learn_at_ > tailored_tuning.last_lesson) {
      tailor_.fade();
      learn_at_ = tailor_.samples() + tailored_tuning.last_lesson;
    }
  }
  planned_for_ = room;
  planned_after_ns_ = std::max(elapsed_ns, tailored_tuning.least_elapsed_ns);
  plans_.add(plan_for(room, elapsed_ns), now_ns);
  return true;
}

LeasePlan LeasePlanner::plan_for(double slots_a_request_ns, std::int64_t elapsed_ns) const {
  return LeasePlan{scaled_to_room(
      tailor_.shape(elapsed_ns),
      {.slots_a_line = options_.slots_a_line,
       .lines = options_.lines,
       .slots_a_request_ns = slots_a_request_ns,
       .horizon_ns = options_.for_long_lived
                         ? tailored_tuning.look_ahead * static_cast<double>(elapsed_ns)
                         : no_horizon,
       .unanswered = tailor_.unanswered()})};
}

}  // namespace sojourn
