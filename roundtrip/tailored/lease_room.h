#pragma once
// How much of a plan's shape the room allows.

#include <array>
#include <cstddef>

#include "roundtrip/tailored/lease_plan.h"

namespace sojourn {

constexpr double no_horizon = 1e18;

/// The room that requests find, as the past lets us expect it.
struct LeaseRoom {
  unsigned slots_a_line = 11;
  std::size_t lines = 1024;
  double slots_a_request_ns = 0;   ///< slots, by requests a nanosecond
  double horizon_ns = no_horizon;  ///< what waits longer will be planned for later
  /// The share of requests that still wait for an answer when step j begins, if nothing else ends
  /// their wait.
  std::array<double, WaitSteps::count> unanswered{};
};

/// The share that finds a full line, where `load` slots are asked for in each slot there is
/// (Erlang's B).
double refused_share(unsigned slots_a_line, double load);

/// The chances pi = min(1, s shape) with the s that lets us expect the least error.
///
/// The shape is right for a pi proportional to sqrt(m / length), where m is what a step matters
/// (LeaseTailor). So m = shape^2 length, and the sum of variances is
///
///     sum_j shape_j^2 length_j / min(1, s shape_j) / (1 - refused(load)),     load = rate sum_j
///     min(1, s shape_j) unanswered_j length_j / slots
///
/// Where memory is short, that offers three times what there are slots, which is the most that we
/// allow: more finds hardly any free slot in addition.  With few lines it is less, so that a rush
/// of four times as many leaves ten of them open.  Where all fit, every chance becomes 1, up
/// to the load where more waiting for delays never seen would cost what is seen.
std::array<double, WaitSteps::count> scaled_to_room(std::array<double, WaitSteps::count> shape,
                                                    const LeaseRoom& room);

}  // namespace sojourn
