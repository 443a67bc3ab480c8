#pragma once
// The collector's first step (CNF section III-D): matches records of the last point to records of
// the first, and derives delays from each pair.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/time.h"
#include "oneway/cnf/delay_series.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// A record of the first point, and the delays of its end packets as far as they are known.
struct AssociatedFlow {
  std::size_t record = 0;  ///< index among the first point's records
  std::optional<Duration> first_delay;
  std::optional<Duration> last_delay;  ///< unset if the flow has only one packet
};

struct Association {
  std::vector<AssociatedFlow> flows;
  std::uint64_t unmatched = 0;  ///< records of the first point without any delay
};

/// Equal labels at either end give that end's delay, if it is within `window` either way.  A 32-bit
/// label rarely recurs within a flow, but hours apart it is certainly another packet.
Association associate_by_label(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                               Duration window);

/// What is known beforehand about the path between the points.
struct TimingLimits {
  Duration shortest_propagation{};                       ///< e1-
  Duration longest_propagation{};                        ///< e1+
  Duration longest_processing{};                         ///< e2: waiting in queues
  Duration clock_error{};                                ///< e3
  Duration inactive_timeout = std::chrono::seconds{15};  ///< T_in
  Duration active_timeout = std::chrono::minutes{30};    ///< T_act
};

/// Records of the first point that pass the checks; each count includes the checks before it.
struct TimingSurvival {
  std::uint64_t records = 0;
  std::array<std::uint64_t, 5> after{};  ///< C1, C1-C2, ... C1-C5
};

struct TimingAssociation {
  Association association;
  TimingSurvival survival;
};

/// Without labels: the timing checks C1 to C5.  They accept a pair only if both ends can be the
/// same packets, so every accepted record has two delays.
///
/// C1 reads receiver record i against sender record j in both halves (the paper's text names them
/// the other way round once).
TimingAssociation associate_by_timing(std::span<const FlowRecord> first,
                                      std::span<const FlowRecord> last, const TimingLimits& limits);

/// The delays of both ends of all flows, in the order of time.
DelaySeries delay_series(std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first);

/// Removes the delays above the quantile 1 - share (CNF section IV-B: the top 1 %, where colliding
/// labels show), and flows without remaining delays.  Returns the number of delays removed.
std::uint64_t drop_outliers(Association& association, double share);

}  // namespace sojourn
