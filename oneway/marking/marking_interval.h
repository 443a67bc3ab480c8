#pragma once
// Time as alternate marking sees it: intervals of a power of two of a second, and their quarters.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace sojourn {

/// A moment in marking time.
struct MarkingMoment {
  std::int64_t interval = 0;  ///< number since 1970; its parity is the colour
  /// The interval's lowest bit and the two bits below it: colour, then which quarter.  With
  /// 16-second intervals these are the paper's Seconds[4:2].
  unsigned time_bits = 0;

  unsigned colour() const { return time_bits >> 2; }
  unsigned quarter() const { return time_bits & 3u; }
};

/// The length of an interval, 2^exponent seconds from 2^-10 (0.98 ms) to 2^6 (64 s).
///
/// A power of two of a *second*, not of a nanosecond: then the interval's number is a bit field of
/// a timestamp of seconds and binary fraction.  PTP-synchronised hardware and P4 switches have such
/// timestamps and the paper's rules match them.  And every clock that knows the time of day agrees
/// where intervals begin.
class MarkingInterval {
 public:
  static constexpr int shortest = -10, longest = 6;

  constexpr MarkingInterval() = default;
  explicit constexpr MarkingInterval(int exponent)
      : exponent_(static_cast<std::int8_t>(exponent)) {}
  /// "1s", "16s", "250ms"; also the decimal names of the small ones, "1ms" for 2^-10 s, "512ms" for
  /// 2^-1 s.
  static Result<MarkingInterval> parse(std::string_view text);

  constexpr int exponent() const { return exponent_; }
  /// To the nanosecond; below 2^-9 s the exact length is not a whole number of nanoseconds.
  constexpr Duration length() const {
    return Duration{exponent_ >= 0 ? second << exponent_ : second >> -exponent_};
  }
  std::string name() const;

  constexpr MarkingMoment at(Timestamp time) const {
    const std::int64_t quarters = units_of(time) >> (exponent_ + 10);
    return {quarters >> 2, static_cast<unsigned>(quarters & 7)};
  }
  /// The first nanosecond that belongs to the interval.
  constexpr Timestamp start_of(std::int64_t interval) const {
    const std::int64_t units = interval << (exponent_ + units_bits);
    const std::int64_t fraction = units & (units_a_second - 1);
    return timestamp_from_ns((units >> units_bits) * second +
                             (fraction * second + units_a_second - 1) / units_a_second);
  }

  /// Multiplexed marking at live points, from the interval's start: the middle of the third
  /// quarter.  A pulse sent later may arrive when its mark means a packet of the next interval.
  constexpr Duration latest_pulse() const { return length() / 8 * 5; }

  friend constexpr bool operator==(MarkingInterval, MarkingInterval) = default;

 private:
  static constexpr std::int64_t second = 1'000'000'000;
  static constexpr int units_bits = 12;  // a quarter of the shortest interval
  static constexpr std::int64_t units_a_second = 1 << units_bits;

  static constexpr std::int64_t units_of(Timestamp time) {
    std::int64_t seconds = to_ns(time) / second, rest = to_ns(time) % second;
    if (rest < 0) {  // before 1970: intervals are counted downwards, not mirrored
      rest += second;
      --seconds;
    }
    return (seconds << units_bits) + (rest << units_bits) / second;
  }

  std::int8_t exponent_ = 0;
};

}  // namespace sojourn
