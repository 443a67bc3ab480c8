#pragma once
// What a point exports about one flow in one interval.

#include <cstdint>

#include "core/time.h"
#include "oneway/marking/marking_interval.h"

namespace sojourn {

struct MarkingRecord {
  std::uint32_t flow = 0;
  MarkingInterval length = {};
  /// The unit of lateness: the shorter of two lengths around a change of the interval.
  MarkingInterval judged_by = {};
  std::int64_t interval = 0;
  std::uint64_t packets = 0;
  std::uint32_t pulses = 0;   ///< up to 255
  Timestamp pulse_time = {};  ///< their mean, if there are several
  std::uint32_t repeats = 0;  ///< packets identical to one seen just before
  /// How far packets of this colour were seen outside their interval, by this point's clock: after
  /// its end, before its start.  Rounded up to 1/512 of the interval; at most half of it is
  /// measurable.
  Duration late{};
  Duration early{};
  /// Live points only.  Observing: packets in the second quarter, where none is late, early or a
  /// pulse, and those of them that have the other colour.
  std::uint64_t middle = 0;
  std::uint64_t contrary = 0;
  /// Packets left unmarked because the carrier's field has another use; they are not in `packets`.
  std::uint64_t other = 0;
  /// Marking: left unmarked because the bits are already set, which no other point can detect.
  std::uint64_t marked_before = 0;
  Timestamp read_at = {};  ///< when the counter was read: later packets are not in it

  Timestamp start() const { return length.start_of(interval); }
  Timestamp end() const { return length.start_of(interval + 1); }

  /// A clock that was set leaves pulses far from their interval.  They are discarded, and
  /// differences of all others are small.
  void drop_far_pulses() {
    const Duration some = length.length() * 4;
    if (pulse_time < start() - some || pulse_time > start() + some) pulses = 0;
    if (pulses == 0) pulse_time = {};
  }
};

/// The time span a point has observed, by its own clock.
struct MarkingSpan {
  Timestamp since = Timestamp::max();
  Timestamp until = Timestamp::min();

  void extend(Timestamp time) {
    if (time < since) since = time;
    if (time > until) until = time;
  }
};

}  // namespace sojourn
