#include "capture/files/time_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sojourn {
namespace {

TEST(TimeScale, AgreesWithExactArithmeticForEveryResolution) {
  for (unsigned resolution = 0; resolution < 256; ++resolution) {
    TimeScale scale;
    scale.set_resolution(static_cast<std::uint8_t>(resolution));
    const unsigned exponent = resolution & 0x7f;
    for (const std::uint64_t ticks :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1'700'000'000},
          std::uint64_t{1'700'000'000'123'456'789}, ~std::uint64_t{0}}) {
      // Long double has 64 bits of mantissa here: enough to know the nanosecond up to rounding.
      const long double seconds = static_cast<long double>(ticks) /
                                  (resolution & 0x80 ? powl(2, exponent) : powl(10, exponent));
      const long double ns = seconds * 1e9L;
      const auto [time, clamped] = scale.to_time(ticks);
      EXPECT_EQ(clamped, ns > 9.3e18L) << resolution << " " << ticks;
      if (clamped)
        EXPECT_EQ(to_ns(time), std::numeric_limits<std::int64_t>::max());
      else
        EXPECT_LE(std::abs(static_cast<long double>(to_ns(time)) - ns), 1.5L)
            << resolution << " " << ticks;
    }
  }
}

TEST(TimeScale, AddsTheOffsetToTickZeroToo) {
  TimeScale scale;
  scale.set_offset(3);
  EXPECT_EQ(to_ns(scale.to_time(0).time), 3'000'000'000);
  EXPECT_EQ(to_ns(scale.to_time(5).time), 3'000'005'000);
}

}  // namespace
}  // namespace sojourn
