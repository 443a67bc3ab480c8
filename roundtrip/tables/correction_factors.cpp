#include "roundtrip/tables/correction_factors.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// The first x from there on, at the resolution of x.
std::uint64_t round_to_bits(double value, int significant_bits) {
  const int shift = value < 1 ? 0 : std::max(std::ilogb(value) + 1 - significant_bits, 0);
  if (shift == 0) return static_cast<std::uint64_t>(std::ceil(std::fmax(value, 0)));
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, -shift))) << shift;
}

}  // namespace

CorrectionFactors::CorrectionFactors(const Options& options) {
  const double hazard = -std::log1p(-options.eviction_chance);
  const std::uint64_t end = std::uint64_t{1} << std::clamp(options.bits, 1, 32);
  const double least = options.scale / options.entry_probability;
  const auto last_x = std::min(static_cast<double>(end), options.max_lives / hazard);

  double factor = std::fmax(std::round(least), 1);
  std::uint64_t first_x = 0;
  while (static_cast<double>(first_x) < last_x && factor <= 0xffff'fffe) {
    const double next = std::fmax(factor + 1, std::round(factor * options.step));
    // w(x) * scale = (factor + next) / 2
    const double boundary = std::log((factor + next) / 2 / least) / hazard;
    const std::uint64_t next_x = round_to_bits(boundary, options.boundary_bits);
    if (next_x > first_x) {  // otherwise one step of x skips this factor
      rules_.push_back({static_cast<std::uint32_t>(first_x), static_cast<std::uint32_t>(factor)});
      first_x = next_x;
    }
    factor = next;
  }
  const std::uint64_t drop_from = round_to_bits(last_x, options.boundary_bits);
  if (drop_from < end) {
    while (!rules_.empty() && rules_.back().first_x >= drop_from) rules_.pop_back();
    rules_.push_back({static_cast<std::uint32_t>(drop_from), 0});
  }
}

}  // namespace sojourn
