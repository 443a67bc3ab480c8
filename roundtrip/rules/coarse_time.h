#pragma once
// Compact times, where a fraction of a second is precise enough.

#include <cstdint>

#include "core/choose.h"
#include "core/time.h"

namespace sojourn {

/// A time in steps of 2^24 ns (17 ms), modulo 2^32 of them (2.3 years).
class CoarseTime {
 public:
  constexpr CoarseTime() = default;
  constexpr CoarseTime(Timestamp time)  // NOLINT: a time is a time
      : steps_(static_cast<std::uint32_t>(static_cast<std::uint64_t>(to_ns(time)) >> step_bits)) {}

  /// now - this, to a step; undefined beyond a year ahead or back.
  constexpr Duration until(Timestamp now) const {
    const auto steps = static_cast<std::int32_t>(CoarseTime{now}.steps_ - steps_);
    return Duration{std::int64_t{steps} << step_bits};
  }

 private:
  static constexpr int step_bits = 24;

  std::uint32_t steps_ = 0;
};

constexpr Duration difference(Timestamp later, CoarseTime earlier) { return earlier.until(later); }

/// The same in two bytes: steps of 2^27 ns (134 ms), modulo 2^16 of them (2.4 hours); one half is
/// the past, the other the future.
class CoarserTime {
 public:
  constexpr CoarserTime() = default;
  explicit constexpr CoarserTime(Timestamp time)
      : steps_(static_cast<std::uint16_t>(static_cast<std::uint64_t>(to_ns(time)) >> step_bits)) {}

  /// Whether this is certainly more than this many whole steps before `now`.  (Times that step back
  /// are ignored.)
  constexpr bool is_older(unsigned steps, CoarserTime now) const {
    return static_cast<std::int16_t>(now.steps_ - steps_) > static_cast<int>(steps);
  }
  /// The steps of a wait, rounded up; beyond `most` nothing is older.
  static constexpr unsigned steps_in(Duration wait) {
    const std::int64_t steps = ((to_ns(wait) - 1) >> step_bits) + 1;
    return static_cast<unsigned>(steps < 0 ? 0 : steps > most ? most : steps);
  }
  static constexpr std::int64_t most = 0x7fff;

  /// `now` if `moves`, without a branch.
  void move_if(SignBit moves, CoarserTime now) {
    steps_ = static_cast<std::uint16_t>(
        choose_by_sign(moves, std::uint32_t{now.steps_}, std::uint32_t{steps_}));
  }

 private:
  static constexpr int step_bits = 27;

  std::uint16_t steps_ = 0;
};

}  // namespace sojourn
