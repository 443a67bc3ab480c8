#pragma once
// From the records of two points to loss and delay per flow and interval.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/time.h"
#include "oneway/marking/marking_faults.h"
#include "oneway/marking/marking_record.h"
#include "oneway/marking/marking_rules.h"

namespace sojourn {

/// All data of one point.
struct PointRecords {
  MarkingSpan span;
  std::vector<MarkingRecord> records;
  /// Live points report which intervals they have read, with or without packets; in ascending
  /// order.  Empty: the whole span.
  std::vector<std::int64_t> read = {};
  /// Intervals that a live point itself does not trust, and why; in ascending order.
  std::vector<std::pair<std::int64_t, MarkingFault>> doubts = {};
};

struct MarkingResult {
  std::uint32_t flow = 0;
  MarkingInterval length;
  std::int64_t interval = 0;
  std::int64_t intervals = 1;              ///< a row of idle intervals covers this many
  std::uint64_t sent = 0;                  ///< as counted at the first point
  std::uint64_t received = 0;              ///< as counted at the last
  std::uint64_t copies = 0;                ///< of these: duplicated on the path
  std::optional<std::uint64_t> lost = {};  ///< only if valid
  std::optional<Duration> delay = {};      ///< of the pulse, by the clocks of both points; likewise
  Timestamp pulse_time = {};               ///< at the first point, if it saw one
  Duration late{};  ///< how far packets came outside their interval at the last point
  Duration early{};
  bool strays = false;  ///< so far that the guard band is almost used up
  Duration guard{};     ///< d of RFC 9341 section 5
  MarkingFaults faults = {};

  Timestamp start() const { return length.start_of(interval); }
  /// A fault found later invalidates the figures it affects.
  void add(MarkingFault fault) {
    faults.add(fault);
    if (faults.spoil_loss()) lost.reset();
    if (faults.spoil_delay()) delay.reset();
  }
};

struct MarkJudgeOptions {
  MarkingMethod method = MarkingMethod::multiplexed;
  /// The bound of the clocks' offset: A of RFC 9341.  A larger offset is detected only by its
  /// effects: lateness, double pulses, delays beyond the band.
  Duration clock_error{};
};

/// Judges every interval by RFC 9341 section 5:
///
///     d = A + |D_avg| + 3 D_stddev  <  L/2
///
/// A is the clocks' error; D are the delays of the last eight pulses, which contain the clocks'
/// actual offset, so they may be negative.  Packets seen further outside their interval raise d.
/// Multiplexed marking has half as much room, L/4: the quarter in which a mark comes tells pulse
/// from step (paper section 3.4).  Beyond the band no figure is given, rather than a wrong one.
///
/// RFC 9341 section 4.2 allows several delay-marked packets in a block: double marking gives their
/// mean delay, if as many arrive as were sent.
///
/// Not detectable: clocks that are off by a multiple of 2 L agree on every colour.  A must cover
/// this.
std::vector<MarkingResult> collect(const MarkJudgeOptions& options, const PointRecords& first,
                                   const PointRecords& last);

}  // namespace sojourn
