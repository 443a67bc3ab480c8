#include "dataplane/sample_weight.h"

#include <cmath>

namespace sojourn {

SampleWeight::SampleWeight(const dp_config& config)
    : fridges_(config.fridges),
      lives_a_unit_(
          std::ldexp(-std::log1p(-1.0 / config.shard_slots), static_cast<int>(config.age_shift))) {
  for (unsigned k = 0; k < fridges_; ++k) share_[k] = share_of(config, k);
}

std::optional<double> SampleWeight::of(std::uint64_t ages, std::uint32_t enter_below) const {
  const double p = enter_below == 0 ? 1 : enter_below * 0x1p-32;
  double chance = 0, lives = 0;
  for (unsigned k = 0; k < fridges_; ++k) {
    lives = static_cast<double>(ages >> (k * DP_AGE_BITS) & DP_AGE_MASK) * lives_a_unit_;
    chance += share_[k] * std::exp(-lives);
  }
  if (lives > max_lives) return std::nullopt;  // of the slowest, which came last
  return 1 / (p * chance);
}

}  // namespace sojourn
