#pragma once
// The tuned numbers of `tailored`, each with where it comes from.

#include <cstddef>
#include <cstdint>

namespace sojourn {

/// What to expect of delays before they are seen.
struct LeaseCaution {
  /// Waits longer than any delay seen get this share of the memory, each octave alike (pi falls as
  /// 1/t), so that a delay that was never met has its chance.
  double memory_for_unseen;
  /// What takes about as long as we have looked could hardly have been seen.  There the shares are
  /// taken to go on as they were, falling by this factor with each step.
  double untried_decay;
  /// Before enough delays are known, the chance is taken to fall as 1/sqrt(t) from here on.
  double first_guess_ns;
};

/// None of these can bias a result: plans are made of the past (docs/design/tailored.md).  They
/// decide how much a given memory tells.  "Tried" means the captures and the lab of that page.
struct TailoredTuning {
  // What is expected of delays, by lease_plan.cpp.

  /// Packets.  With a fixed 1 % share of all delays the longest waits took half of the memory of
  /// L2; 30 % of what the seen delays take, falling by 0.6 a step, did best of a handful tried.
  LeaseCaution packets = {.memory_for_unseen = 0.3, .untried_decay = 0.6, .first_guess_ns = 4e6};
  /// Connections: seconds are usual.
  LeaseCaution connections = {
      .memory_for_unseen = 0.3, .untried_decay = 0.6, .first_guess_ns = 10e9};
  /// Before this many delays are known the plan is a guess: a dozen beyond the 80th percentile.
  std::uint64_t least_samples = 64;
  /// What n samples have not shown yet is about 1/n of all (Good 1953); a few times that is
  /// expected beyond the 90th percentile, less by this factor with each step.
  double unseen_samples = 3, unseen_decay = 0.6;
  /// In the tail, a step's own share and the one that the whole tail suggests count alike at this
  /// many samples, its own counted twice and its neighbours' once: about two in each (tried).
  double trusted_count = 8;
  /// Where the tail begins that is smoothed as a whole (Hill 1975), and where the unseen is
  /// expected.
  double tail_from = 0.95, unseen_from = 0.9;
  /// The 99th percentile is what people look at; more for it costs the others more than it gains
  /// (computed from the distribution of L2, table in docs/design/tailored.md).
  double weight_of_p99 = 2;
  /// Some always wait in vain; and what comes in bursts is not answered before it has come.
  double least_unanswered = 0.02;

  // How much of it there is room for, by lease_room.cpp.

  /// Slots offered for each that there is.  More finds hardly any free slot in addition (tried: 2
  /// to 4).
  double most_load = 3;
  /// Below this, fewer than one in 10 000 is refused (Erlang, 2.2 offered to eleven): a larger
  /// scale is always better.
  double no_load = 0.2;
  /// Of the scales that are tried, and how far from 1: a quarter octave of scale changes the sum of
  /// variances by less than 1 %.
  double scales_an_octave = 4;
  int most_octaves = 30;

  // When plans are made, by lease_planner.cpp.

  /// Requests between two looks at the rate: 32 exponential gaps give it within 18 %.
  std::uint32_t requests_a_look = 32;
  /// A rate that changed by this factor asks for a new plan: twice what 32 gaps are uncertain by.
  double rate_change = 1.25;
  /// Samples after which a plan is made anew, doubled each time up to the second; then half is
  /// forgotten, so that plans follow the traffic.
  std::uint64_t first_lesson = 64, last_lesson = 16'384;
  /// Of the slots, what the plans for connections count on (1 of this many): the others count on
  /// all, and few lives are long.
  std::size_t share_for_connections = 8;
  /// An hour's wait costs nothing in the first minute: plans look ahead this many times as long as
  /// we have looked (153 of 500 connections were found in ten seconds when all was counted, now
  /// all).
  double look_ahead = 8;
};
inline constexpr TailoredTuning tailored_tuning{};

}  // namespace sojourn
