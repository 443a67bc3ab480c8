#pragma once
// A measurement point on packets: carrier, flows and rules together.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_flows.h"
#include "oneway/marking/marking_point.h"
#include "oneway/marking/repeated_packets.h"

namespace sojourn {

struct MarkingSetup {
  MarkingMethod method = MarkingMethod::multiplexed;
  MarkingInterval length{0};
  MarkingCarrier carrier;
  std::vector<MarkingFilter> flows = {
      MarkingFilter{}};  ///< without a filter: all traffic, as one flow
  std::uint64_t seed = 0;
  bool reversed = false;  ///< colour 1 is that of even intervals
  /// Multiplexed marking sends no pulse after MarkingInterval::latest_pulse(), as live points do.
  /// Otherwise it sends them in the whole third quarter (paper, Table 5).
  bool early_pulses = false;
};

/// Reads the marks of a batch, or decides them; counts both.
class MarkingMonitor {
 public:
  static constexpr std::size_t max_batch = MarkingFlows::max_batch;

  static Result<MarkingMonitor> make(const MarkingSetup& setup, MarkingRole role);

  /// One event per packet, in order: its flow and its current or future mark.  A packet without
  /// such a carrier belongs to no flow.  Valid until the next call.
  std::span<const MarkingEvent> process(std::span<const IpPacket> batch);

  /// Everything counted so far; no more packets will follow.
  PointRecords finish();

  /// Observing: the middle of nearly every interval has the other colour.
  bool seems_reversed() const { return against_clock_ > 100 && against_clock_ > 20 * with_clock_; }
  /// Packets of monitored flows; tests and benchmarks use it to check that all were found.
  std::uint64_t monitored() const { return monitored_; }
  std::uint64_t without_carrier() const {
    return without_carrier_;
  }  ///< of the monitored flows' packets
  std::size_t memory_bytes() const {
    return flows_.memory_bytes() + point_.memory_bytes() + repeated_.memory_bytes() +
           records_.capacity() * sizeof(MarkingRecord);
  }

 private:
  MarkingMonitor(const MarkingSetup& setup, MarkingRole role, MarkingFlows flows);

  void observe(const IpPacket& packet, MarkingEvent& event);

  MarkingRole role_;
  MarkingCarrier carrier_;
  MarkingFlows flows_;
  MarkingPoint point_;
  std::array<MarkingEvent, max_batch> events_{};
  std::array<MarkingRecord, max_batch> closed_{};
  std::vector<MarkingRecord> records_;  ///< one per flow and interval
  std::uint64_t monitored_ = 0;
  std::uint64_t without_carrier_ = 0;
  Mark flip_ = 0;  ///< bits to invert, for reversed colours
  MarkingInterval length_;
  bool has_colour_;
  RepeatedPackets repeated_;
  std::uint64_t with_clock_ = 0, against_clock_ = 0;  ///< colours in the second quarter
};

}  // namespace sojourn
