#pragma once
// The configuration that the marking program in the kernel gets before its first packet.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "dataplane/kernel/marking/abi.h"
#include "dataplane/marking/flow_places.h"
#include "oneway/marking/marking_monitor.h"

namespace sojourn {

/// What a live point does with the marks.
enum class MarkingDuty : std::uint8_t {
  mark = MK_MARK,        ///< the first node: sets and counts
  observe = MK_OBSERVE,  ///< any node: counts
  restore = MK_RESTORE,  ///< the last node: counts and takes the marks away
};

struct MarkingProgramOptions {
  MarkingSetup setup;
  MarkingDuty duty = MarkingDuty::mark;
  /// Mark and count packets with any value in the carrier's field.  Otherwise packets whose field
  /// is in use are left alone and not counted, at all points alike.
  bool force = false;
  bool leave_local = true;  ///< what routers do not pass on is neither marked nor counted
  bool copies = false;      ///< look for packets that come twice
  Duration clock_offset{};  ///< added to the clock, for tests
  std::size_t memory_bytes = std::size_t{64} << 20;  ///< at most, for counters
  std::uint32_t cpus = 1;
  bool is_realtime = false;  ///< the kernel may stop a program on a CPU and run it there again
  bool replay = false;       ///< a packet's own time instead of the clock
  /// For benchmarks, which repeat one packet: the number of source ports that it steps through, a
  /// power of two.  Every mark is written again.
  std::uint32_t steps = 0;
};

/// A slot, and what the reader remembers of it.
inline constexpr std::size_t counter_bytes = sizeof(mk_slot) + 2 * sizeof(__u64);

struct MarkingProgramPlan {
  mk_config config{};
  FlowPlaces flows;  ///< by what packets are told by
};

/// The tables of the method as bytes, the carrier as words, the flows as keys, and how much memory.
Result<MarkingProgramPlan> plan_marking(const MarkingProgramOptions& options);

}  // namespace sojourn
