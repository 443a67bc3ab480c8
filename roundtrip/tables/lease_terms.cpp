#include "roundtrip/tables/lease_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sojourn {

LeaseTerms::LeaseTerms(const Options& options) {
  static_assert(step_of(0xffff'ffff) == steps - 1 && last_of(steps - 1) == 0xffff'ffff);
  static_assert(step_of(std::numeric_limits<std::uint64_t>::max()) == delay_steps - 1);
  const auto shortest = static_cast<double>(std::max<std::int64_t>(to_ns(options.shortest), 1));
  const auto longest = std::max(static_cast<double>(to_ns(options.longest)), shortest);
  for (unsigned step = 0; step < steps; ++step) {
    survival_[step] = (static_cast<double>(last_of(step)) + 1) * 0x1p-32;
    const double lease = shortest * std::pow(survival_[step], -1 / options.tail);
    lease_ns_[step] = static_cast<std::int64_t>(std::min(lease, longest));
  }
  for (unsigned guess = 0; guess < delay_steps; ++guess) {
    const std::uint64_t least_delay = guess == 0 ? 0 : last_of(guess - 1) + 1;
    unsigned step = steps - 1;
    while (step > 0 && static_cast<std::uint64_t>(lease_ns_[step]) < least_delay) --step;
    first_guess_[guess] = static_cast<std::uint16_t>(step);
  }
}

}  // namespace sojourn
