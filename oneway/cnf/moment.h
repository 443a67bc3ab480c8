#pragma once
// How many independent samples of the path a flow's packets are.

#include <algorithm>
#include <cstdint>

#include "core/time.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// Packets of a train meet the same queue and share its delay, so for an error bar they are one
/// sample.  Time is divided into moments of 2^24 ns, 17 ms: longer than a train and most busy
/// periods of a link, shorter than the round trips between trains.
inline constexpr int moment_shift = 24;

inline std::int64_t moment_of(Timestamp time) { return to_ns(time) >> moment_shift; }

/// Kish's effective sample size: c_i packets in moment i count as (sum c)^2 / sum c^2 samples.
inline double effective_moments(double packets, double squares) {
  return squares > 0 ? std::max(1.0, packets * packets / squares) : 1;
}

/// For a record; one without this number may have been two trains, one at each end.
inline double effective_moments(const FlowRecord& record) {
  const auto packets = static_cast<double>(record.packets);
  if (record.moment_squares == 0)
    return std::min(packets, moment_of(record.first) == moment_of(record.last) ? 1.0 : 2.0);
  return effective_moments(packets, static_cast<double>(record.moment_squares));
}

}  // namespace sojourn
