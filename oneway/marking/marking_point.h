#pragma once
// A measurement point of alternate marking: it marks, or it reads marks, and counts by colour.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_array.h"
#include "core/time.h"
#include "oneway/marking/marking_interval.h"
#include "oneway/marking/marking_record.h"
#include "oneway/marking/marking_rules.h"

namespace sojourn {

/// The initiating point marks.  Terminating and intermediate points observe.  That the terminating
/// one also removes the marks concerns the packet (MarkingCarrier::restore), not the counting.
enum class MarkingRole : std::uint8_t { initiating, observing };

/// A packet of a monitored flow at a point.
struct MarkingEvent {
  static constexpr std::uint32_t no_flow = 0xffffffff;

  Timestamp time;
  std::uint32_t flow = no_flow;  ///< number from 0; no_flow: not monitored, only time passes
  Mark mark = 0;                 ///< observing: as read; initiating: to be written
  bool repeats = false;          ///< observing: identical to a packet seen just before
};

/// Two counters per flow, one per colour (paper section 2), a pulse's timestamp each, and the
/// register of Tables 3 and 5: one cache line.  Memory is fixed at construction, 64 bytes a flow.
///
/// A packet belongs to the nearest interval of its colour.  So a counter is read half an interval
/// after its own has ended, when the other colour is in its middle (section 3.7).  No sweep over
/// the flows is needed for that: a packet of a later interval of the same colour pushes the old
/// record out, and read_all() takes the rest.
class MarkingPoint {
 public:
  static constexpr std::size_t max_batch = 256;

  MarkingPoint(MarkingMethod method, MarkingRole role, MarkingInterval length, std::size_t flows)
      : MarkingPoint(method, marking_tables(method), role, length, flows) {}
  /// With other tables than the method's own, which outlive the point: tests use it to show the
  /// effect of a wrong row.
  MarkingPoint(MarkingMethod method, const MarkingTables& tables, MarkingRole role,
               MarkingInterval length, std::size_t flows);

  /// No pulse of multiplexed marking after MarkingInterval::latest_pulse().
  void send_pulses_early() { early_pulses_ = method_ == MarkingMethod::multiplexed; }

  /// Counts a batch in the order of time, and fills in the marks if this is the initiating point.
  /// Returns how many records it has written to the front of `closed`, which has room for one per
  /// packet.
  std::size_t process(std::span<MarkingEvent> batch, std::span<MarkingRecord> closed);

  /// Reads all counters, including those still in use: the records say when they were read.
  void read_all(Timestamp now, std::vector<MarkingRecord>& out);

  /// Changes the interval's length at the first multiple of twice the longer length after `now`:
  /// there an interval of colour 1 ends and one of colour 0 begins by both lengths, so packets in
  /// flight stay distinct.  All points have to be informed; returns when it happens.  Once one
  /// change is over, another may follow; records from before the first are then read into `out`.
  Timestamp change_interval(MarkingInterval length, Timestamp now, std::vector<MarkingRecord>& out);

  const MarkingSpan& span() const { return span_; }
  std::size_t memory_bytes() const { return flows_.memory_bytes(); }

 private:
  struct ColourCounter {
    std::int64_t interval;
    std::int64_t pulse_sum_ns;  ///< of the pulses' times, from the interval's start
    std::uint64_t packets : 39;
    std::uint64_t regime : 1;  ///< before or after the last change of the interval's length
    std::uint8_t pulses;
    std::uint8_t late;  ///< in 1/512 of the interval, rounded up
    std::uint8_t early;
  };
  struct alignas(64) FlowState {
    std::array<ColourCounter, 2> counters;
    std::uint8_t reg;
    std::array<std::uint16_t, 2> repeats;  ///< by colour, at most 65 535
  };
  static_assert(sizeof(FlowState) == 64);

  /// One length of the interval and the numbers it is valid for.
  struct Regime {
    MarkingInterval length;
    std::int64_t first = INT64_MIN;
    std::int64_t last = INT64_MAX;
  };
  struct Place {
    std::int64_t interval;
    unsigned regime;
  };

  template <MarkingRole role, bool counts>
  std::size_t run(std::span<MarkingEvent> batch, MarkingRecord* closed);
  Place nearest_of_colour(const MarkingMoment& moment, unsigned regime, unsigned colour) const;
  void note_distance(ColourCounter& counter, const MarkingMoment& moment, unsigned regime,
                     Timestamp time) const;
  bool is_too_late(Timestamp time, const MarkingMoment& moment, unsigned regime) const;
  MarkingInterval judged_by(const ColourCounter& counter) const;
  MarkingRecord record_of(std::uint32_t flow, const ColourCounter& counter, Timestamp now) const;
  Timestamp mean_pulse(const ColourCounter& counter) const;

  const MarkingTables* tables_;
  MarkingMethod method_;
  MarkingRole role_;
  std::array<Regime, 2> regimes_;
  bool early_pulses_ = false;
  Timestamp change_at_ = Timestamp::max();
  HugeArray<FlowState> flows_;
  MarkingSpan span_;
};

}  // namespace sojourn
