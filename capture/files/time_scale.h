#pragma once
// From the ticks of a pcapng interface to nanoseconds, draft-ietf-opsawg-pcapng section 4.2.

#include <cstdint>
#include <limits>

#include "core/time.h"

namespace sojourn {

/// The length of a tick and the start of the count.  The default is microseconds since 1970.
class TimeScale {
 public:
  struct Converted {
    Timestamp time;
    bool clamped;
  };

  /// if_tsresol: ticks of 10^-n seconds, or 2^-n if the top bit is set.
  void set_resolution(std::uint8_t resolution) {
    binary_ = (resolution & 0x80u) != 0;
    exponent_ = resolution & 0x7fu;
    renew();
  }
  /// if_tsoffset: seconds to add to every time.
  void set_offset(std::int64_t seconds) {
    offset_seconds_ = seconds;
    renew();
  }

  Converted to_time(std::uint64_t ticks) const {
    if (ticks < plain_ticks_)
      return {timestamp_from_ns(static_cast<std::int64_t>(ticks * plain_factor_)), false};
    return exactly(ticks);
  }

 private:
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

  static constexpr UnsignedWide power_of_ten(unsigned exponent) {
    UnsignedWide power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
  }

  /// Nearly all captures have whole multiples of a nanosecond and no offset, for which one
  /// multiplication suffices.
  void renew() {
    plain_factor_ = 0;
    plain_ticks_ = 0;
    if (binary_ || exponent_ > 9 || offset_seconds_ != 0) return;
    plain_factor_ = static_cast<std::uint64_t>(power_of_ten(9 - exponent_));
    plain_ticks_ = static_cast<std::uint64_t>(largest) / plain_factor_;
  }

  /// Rounds down to the nanosecond.  128 bits hold every product: 2^64 ticks of a second each are
  /// below 2^94 nanoseconds.
  Converted exactly(std::uint64_t ticks) const {
    UnsignedWide ns = ticks;
    if (binary_)
      ns = ns * 1'000'000'000 >> exponent_;
    else if (exponent_ <= 9)
      ns *= power_of_ten(9 - exponent_);
    else if (exponent_ <= 29)
      ns /= power_of_ten(exponent_ - 9);
    else
      ns = 0;  // 2^64 < 10^20: less than a nanosecond, however many ticks
    const Wide sum = static_cast<Wide>(ns) + static_cast<Wide>(offset_seconds_) * 1'000'000'000;
    if (sum > largest) return {timestamp_from_ns(largest), true};
    if (sum < smallest) return {timestamp_from_ns(smallest), true};
    return {timestamp_from_ns(static_cast<std::int64_t>(sum)), false};
  }

  std::uint64_t plain_factor_ = 1000;
  std::uint64_t plain_ticks_ = static_cast<std::uint64_t>(largest) / 1000;
  std::int64_t offset_seconds_ = 0;
  unsigned exponent_ = 6;
  bool binary_ = false;
};

}  // namespace sojourn
