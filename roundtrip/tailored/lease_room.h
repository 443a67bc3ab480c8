#pragma once
// How much of a plan's shape fits into the memory.

#include <array>
#include <cstddef>

#include "roundtrip/tailored/lease_plan.h"

namespace sojourn {

constexpr double no_horizon = 1e18;

/// The capacity available to requests, as expected from the past.
struct LeaseRoom {
  unsigned slots_a_line = 11;
  std::size_t lines = 1024;
  double slots_a_request_ns = 0;   ///< slots, by requests a nanosecond
  double horizon_ns = no_horizon;  ///< longer waits will be planned later
  /// The share of requests that still wait for a response when step j begins, if nothing else ends
  /// their wait.
  std::array<double, WaitSteps::count> unanswered{};
};

/// The share of requests that find a full line, at an offered load of `load` per slot (Erlang's B).
double refused_share(unsigned slots_a_line, double load);

/// The probabilities pi = min(1, s shape) with the s that minimises the expected error.
///
/// The shape is right for a pi proportional to sqrt(m / length), where m is the importance of a
/// step (LeaseTailor).  So m = shape^2 length, and the sum of variances is
///
///     sum_j shape_j^2 length_j / min(1, s shape_j) / (1 - refused(load)),     load = rate sum_j
///     min(1, s shape_j) unanswered_j length_j / slots
///
/// If memory is short, the offered load is three times the number of slots, which is the allowed
/// maximum: more would hardly fill further slots.  With few lines it is less, so that a burst of
/// four times as many leaves ten of them open.  If all requests fit, every probability becomes 1.
/// That holds up to the load at which waiting longer for delays never seen would cost samples of
/// those seen.
std::array<double, WaitSteps::count> scaled_to_room(std::array<double, WaitSteps::count> shape,
                                                    const LeaseRoom& room);

}  // namespace sojourn
