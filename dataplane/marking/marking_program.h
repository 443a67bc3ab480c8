#pragma once
// The marking program in the kernel: loaded, its clock started, its counters read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/packet.h"
#include "core/result.h"
#include "dataplane/marking/marking_program_options.h"
#include "oneway/marking/marking_record.h"

namespace sojourn {

/// Packets that were left alone and are in no record.
struct MarkingLeftAlone {
  std::uint64_t not_ip = 0;
  std::uint64_t no_flow = 0;
  std::uint64_t no_room = 0;       ///< with the option they would be too long
  std::uint64_t no_carrier = 0;    ///< of a monitored flow, without such a field
  std::uint64_t local = 0;         ///< between neighbours: no router passes them on
  std::uint64_t unread = 0;        ///< cut off within a header
  std::uint64_t super_pulses = 0;  ///< not left alone; they were no pulse since they are several

  /// All that were left alone.
  std::uint64_t total() const { return not_ip + no_flow + no_room + no_carrier + local + unread; }
};

/// Attached to an interface it marks or counts; reading needs no privileges.  All that it has in
/// the kernel goes with the process.
class MarkingProgram {
 public:
  static Result<MarkingProgram> load(const MarkingProgramOptions& options);
  MarkingProgram(MarkingProgram&&) noexcept;
  MarkingProgram& operator=(MarkingProgram&&) noexcept;
  ~MarkingProgram();

  int descriptor() const;
  /// Before it is attached: from now on a timer of the kernel turns the colour.
  Result<void> start_clock();
  /// The time as the program has it.
  Timestamp now() const;
  /// The clock daemon (chrony, ntpd) may set the kernel's TAI offset late: the kernel's clock then
  /// jumps.  True if it did: the current counters are a mixture.  A leap second moves no interval.
  bool follow_clock();
  /// How late the timer was at most since the last call.
  Duration take_turn_lateness();

  /// Intervals that are kept apart; from one reading of an interval to the next of the same slot
  /// there is room for so many.
  std::int64_t slots() const;
  /// Takes the counters of an interval out: one record for each flow that has any.
  void take(std::int64_t interval, Timestamp now, std::vector<MarkingRecord>& out);
  MarkingLeftAlone left_alone() const;
  std::size_t memory_bytes() const;

  /// For tests: one Ethernet frame at its own time, with `replay`.  What the program made of it.
  Result<std::vector<std::byte>> replay(const Packet& packet, unsigned segments = 1);
  /// For benchmarks: nanoseconds a run of a program that leaves the packet as it was
  /// (dataplane/kernel/marking/bench.h); with `duty`, of the one that is used.
  enum class Timed : std::uint8_t {
    empty,
    duty,
    both,
    put_in,
    take_out,
    bare_in2,
    bare_in6,
    bare_out2,
    bare_out6,
  };
  Result<double> time_runs(std::span<const std::byte> frame, unsigned repeat, Timed what);

 private:
  struct State;
  explicit MarkingProgram(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace sojourn
