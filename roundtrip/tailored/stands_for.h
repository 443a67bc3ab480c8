#pragma once
// How many attempts an accepted request represents, in four bits.

#include <array>
#include <cstdint>

#include "roundtrip/tailored/tuning.h"

namespace sojourn {

/// One of fifteen levels, 1.35 times apart up to 49.  A value is rounded at random to one of its
/// two neighbours, so that the mean is right; that costs at most 2.3 % of variance.  The last level
/// is for floods in which fewer than one line in 49 has room.
struct StandsFor {
  static constexpr unsigned ambiguous = 15;  ///< for a request seen again, which gives no sample

  /// Just below the last level before the one for floods; larger values are rounded at random to
  /// one of those two.
  static constexpr double most_even = 49;

  static double value(unsigned code) { return levels[code]; }

  static unsigned draw(double wanted, std::uint32_t coin) {
    if (wanted == 1) return 0;
    unsigned code = 0;
    while (code + 2 < levels.size() && wanted >= levels[code + 1]) ++code;
    const double part = (wanted - levels[code]) / (levels[code + 1] - levels[code]);
    return code + (static_cast<double>(coin) * 0x1p-32 < part);
  }

 private:
  static constexpr auto levels = [] {
    std::array<double, 15> all{1};
    for (std::size_t i = 1; i < all.size(); ++i) all[i] = tailored_tuning.level_ratio * all[i - 1];
    all.back() = tailored_tuning.flood_level;
    return all;
  }();
  static_assert(most_even <= levels[13] && levels[13] < most_even + 1);
};

}  // namespace sojourn
