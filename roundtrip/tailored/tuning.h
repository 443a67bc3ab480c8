#pragma once
// The adjustable numbers of `tailored`, each with its origin.

#include <cstddef>
#include <cstdint>

namespace sojourn {

/// What to expect of delays that were not seen yet.
struct LeaseCaution {
  /// Share of the memory for waits longer than any delay seen so far, the same for each octave (pi
  /// falls as 1/t), so that new, longer delays can be measured.
  double memory_for_unseen;
  /// Delays about as long as the measurement so far could hardly have been seen yet.  Their shares
  /// are extrapolated: each step has this times the share of the step before.
  double untried_decay;
  /// Until enough delays are known, pi is assumed to fall as 1/sqrt(t) beyond this delay.
  double first_guess_ns;
};

/// None of these can bias a result, since plans use only the past (docs/design/tailored.md).  They
/// decide how accurate a given memory is.  "Tried" means on the captures and in the lab of that
/// page; "chosen" that no other value is known to have been tried.  Numbers that only avoid a
/// division by zero are beside their formula.
struct TailoredTuning {
  // Which delays to expect (lease_plan.cpp).

  /// Packets.  With a fixed share of 1 % of all delays, the longest waits took half of the memory
  /// in L2; 30 % of what the seen delays take, falling by 0.6 a step, was the best of a handful of
  /// values tried.
  LeaseCaution packets = {.memory_for_unseen = 0.3, .untried_decay = 0.6, .first_guess_ns = 4e6};
  /// Connections last seconds rather than milliseconds.
  LeaseCaution connections = {
      .memory_for_unseen = 0.3, .untried_decay = 0.6, .first_guess_ns = 10e9};
  /// With fewer delays the plan is a guess: of 64, a dozen are beyond the 80th percentile.
  std::uint64_t least_samples = 64;
  /// What n samples have not shown yet has a share of about 1/n (Good 1953).  This many times that
  /// is expected beyond the 90th percentile, less by this factor with each step.
  double unseen_samples = 3, unseen_decay = 0.6;
  /// In the tail, a step's own share and the one that the whole tail suggests have equal weight
  /// when the step has this many samples, its own counted twice and its neighbours' once (tried).
  double trusted_count = 8;
  /// Where the tail begins that is smoothed as a whole (Hill 1975), and where the unseen is
  /// expected.
  double tail_from = 0.95, unseen_from = 0.9;
  /// People look at the 99th percentile.  A larger weight costs the other percentiles more than
  /// this one gains (computed from the distribution of L2, table in docs/design/tailored.md).
  double weight_of_p99 = 2;
  /// At least this share of requests is assumed to stay unanswered: some always do, and while a
  /// burst lasts its answers have not come yet.
  double least_unanswered = 0.02;
  /// This share of the samples is shorter than the shortest delay that plans care for (chosen).
  double share_of_shortest = 0.01;
  /// That delay until enough samples are known (chosen).
  std::int64_t first_shortest_ns = 1'000'000;
  /// Plans are tailored up to this many steps, half octaves, beyond the longest delay seen: one
  /// since shares are smoothed over neighbours, and an octave (chosen).
  unsigned steps_beyond_seen = 3;
  /// While the measurement is too short for such delays, plans are tailored up to this many further
  /// steps: two octaves (chosen).
  unsigned steps_beyond_untried = 4;
  /// Delays were tried if they are shorter than the measurement less this fraction of it, 1/4:
  /// longer ones could have been seen only for requests at its start (chosen).
  std::int64_t untried_part = 4;

  // How much of the plan fits into the memory (lease_room.cpp).

  /// The most slots that a plan may request for each existing slot.  A higher limit fills hardly
  /// any more of them (tried: 2 to 4).
  double most_load = 3;
  /// With few lines the limit is lower, by one for every so many of them: a burst of four times the
  /// load L leaves 1/(4 L) of the lines open (Erlang, 44 L offered to eleven), ten of 40 L.
  double lines_a_load = 40;
  /// Below this load fewer than one request in 10 000 finds no slot (Erlang, 2.2 offered to
  /// eleven): a larger scale is always better.
  double no_load = 0.2;
  /// How finely, and how far from 1, scales are searched: a quarter of an octave changes the sum of
  /// variances by less than 1 %.
  double scales_an_octave = 4;
  int most_octaves = 30;

  // How the table counts (stands_for.h, wait_line.h).

  /// The ratio of neighbouring levels of what a request stands for: the smallest with which
  /// fourteen levels reach 49.  Rounding to them costs at most 2.3 % of variance (computed).
  double level_ratio = 1.35;
  /// The last level, for floods (chosen).
  double flood_level = 4096;
  /// A dense line becomes roomy again when it has no more requests than this, of the seven that fit
  /// then: with seven it would soon be dense again (chosen).
  unsigned few_for_a_line = 4;

  // When plans are made (lease_planner.cpp).

  /// The rate is that of the last second (chosen).
  double rate_span_ns = 1e9;
  /// At the start a pair stands for the slow ones that could not be seen yet, but for at most this
  /// many: otherwise a single late pair would decide the plan (chosen).
  double most_shown_after = 8;
  /// The first requests were all admitted; they are thinned if the plan then made admits less than
  /// this share (chosen).
  double generous_below = 0.25;
  /// A plan is made anew when the measurement has become longer by this fraction, 1/3, as longer
  /// delays could then be seen; no more after so many times the longest wait (both chosen).
  std::int64_t longer_part = 3, longest_waits_looked = 4;
  /// The measurement counts as at least this long, otherwise each of its first checks would make a
  /// new plan (chosen).
  std::int64_t least_elapsed_ns = 100'000'000;
  /// Past plans kept.  When half of them are used, new ones are longest wait / 32 apart, so that
  /// the other half spans the longest wait (computed from that; 64 is chosen).
  std::size_t kept_plans = 64;
  /// Requests between two updates of the rate: 32 exponential gaps give it within 18 %.
  std::uint32_t requests_a_look = 32;
  /// A rate change by this factor triggers a new plan: twice the uncertainty of 32 gaps.
  double rate_change = 1.25;
  /// A new plan is made after `first_lesson` samples, then after twice as many each time up to
  /// `last_lesson`; from then on half of what was learned is forgotten each time, so that plans
  /// follow the traffic.
  std::uint64_t first_lesson = 64, last_lesson = 16'384;
  /// Plans for connections count on one slot in this many; those for packets count on all, since
  /// few connections last long.
  std::size_t share_for_connections = 8;
  /// A wait of an hour costs nothing in the first minute, so plans count only this many times the
  /// time measured so far.  (When whole waits were counted, 153 of 500 connections were found in
  /// ten seconds; now all are.)
  double look_ahead = 8;
};
inline constexpr TailoredTuning tailored_tuning{};

}  // namespace sojourn
