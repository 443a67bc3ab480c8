#include "roundtrip/tables/fridge_ladder.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

// Six bits of a slot hold the level of its request.
constexpr std::size_t max_levels = 64;
// Below this, rounding e to whole 2^-58 would matter.
constexpr std::uint64_t least_exposure = 4096;

}  // namespace

FridgeLadder::FridgeLadder(unsigned fridges, unsigned octaves_apart, std::size_t slots,
                           std::optional<double> entry_probability)
    : fridges_(std::clamp(fridges, 1u, max_fridges)),
      octaves_apart_(octaves_apart),
      slots_(std::max<std::size_t>(slots / fridges_, 2)) {
  for (unsigned k = 0; k < fridges_; ++k)
    pace_[k] = std::exp2(static_cast<double>(octaves_apart * (fridges_ - 1 - k)));

  largest_exposure_ = exposure_for(1);
  home_ends_.fill(~std::uint32_t{0});
  std::array<double, max_fridges> shares{};
  double end = 0, last_end = 0;
  for (unsigned k = 0; k + 1 < fridges_; ++k) {
    end += static_cast<double>(slots_) * -std::expm1(-pace_[k] * largest_exposure_);
    home_ends_[k] = static_cast<std::uint32_t>(end * 0x1p31);
    shares[k] = home_ends_[k] * 0x1p-31 - last_end;
    last_end = home_ends_[k] * 0x1p-31;
  }
  shares[fridges_ - 1] = 1 - last_end;

  if (entry_probability) {
    levels_.push_back(
        make_level(exposure_for(std::clamp(*entry_probability, 0x1p-32, 1.0)), shares));
    return;
  }
  for (std::size_t i = 0; i < max_levels; ++i) {
    const Level level =
        make_level(largest_exposure_ * std::exp2(-0.5 * static_cast<double>(i)), shares);
    if (i > 0 && level.exposure < least_exposure) break;
    levels_.push_back(level);
  }
}

double FridgeLadder::exposure_for(double total) const {
  // sum_k M (1 - exp(-pace[k] e)) rises with e: bisection until the bracket is empty.
  double low = 0, high = 1;
  const auto sum = [&](double exposure) {
    double entering = 0;
    for (unsigned k = 0; k < fridges_; ++k)
      entering += static_cast<double>(slots_) * -std::expm1(-pace_[k] * exposure);
    return entering;
  };
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (sum(middle) < total ? low : high) = middle;
  }
  return (low + high) / 2;
}

FridgeLadder::Level FridgeLadder::make_level(double exposure,
                                             const std::array<double, max_fridges>& shares) const {
  Level level{};
  level.exposure = static_cast<std::uint64_t>(std::llround(std::ldexp(exposure, life_bits)));
  const double rounded = std::ldexp(static_cast<double>(level.exposure), -life_bits);
  for (unsigned k = 0; k < fridges_; ++k) {
    const double p = static_cast<double>(slots_) * -std::expm1(-pace_[k] * rounded);
    const double enters = std::min(std::round(p / shares[k] * 0x1p32), 0x1p32);
    level.enters_below[k] = static_cast<std::uint64_t>(enters);
    level.entry_probability[k] = shares[k] * enters * 0x1p-32;
  }
  return level;
}

double FridgeLadder::level_for(double arrivals) const {
  const double level = 2 * std::log2(std::max(arrivals, 1.0) * largest_exposure_);
  return std::clamp(level, 0.0, static_cast<double>(levels_.size() - 1));
}

}  // namespace sojourn
