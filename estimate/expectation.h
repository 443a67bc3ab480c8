#pragma once
// The delays of a run put aside, and another run held against them.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/distribution/delay_snapshot.h"
#include "estimate/distribution/shift.h"
#include "estimate/measurement.h"

namespace sojourn {

/// The distributions of a run, each of one kind and leg.
///
/// Legs are kept apart: how many samples each leg of a kind gives is a matter of who uploads and
/// who downloads, and pooled it would look like a change of delay.  Of a kind whose headline is
/// Leg::sum, that leg alone is kept.
struct Expectation {
  struct Part {
    Kind kind = Kind::tcp;
    Leg leg = Leg::server;
    DelaySnapshot delays;
  };

  std::optional<Timestamp> first, last;  ///< when it was measured
  std::vector<Part> parts;               ///< only what has samples

  /// The same of one group, by its name.
  struct GroupPart {
    std::string label;
    Part part;
  };
  std::string grouping;           ///< what --by said; empty if there are no groups
  std::vector<GroupPart> groups;  ///< those with enough samples to be compared

  const Part* find(Kind kind, Leg leg) const;
};

/// The quantiles that are put aside beside the buckets.
inline constexpr std::array expectation_quantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

/// What `measurement` found of `kinds`, without groups.
Expectation take_expectation(const Measurement& measurement, KindSet kinds);

/// Groups that are put aside at most: those with the most samples.
inline constexpr std::size_t most_saved_groups = 10'000;
/// Adds the groups of `kinds`, if there are any.  Of a kind with a sum, that leg alone, as above.
void take_groups(const Measurement& measurement, KindSet kinds, Expectation& expectation);

struct ExpectOptions {
  double false_alarm = 0.001;  ///< of the whole comparison, over all kinds and legs
  double tolerance = 0.05;     ///< a change of delays by this share is none
};

/// One kind and leg, then and now.
struct ExpectResult {
  Kind kind = Kind::tcp;
  Leg leg = Leg::server;
  ShiftVerdict verdict = ShiftVerdict::too_few;
  std::optional<ShiftTest> test;  ///< nullopt with too few samples
  DelaySnapshot now;              ///< its quantiles and number of samples; no buckets
  DelaySnapshot expected;
  double now_independent = 0;
  double expected_independent = 0;

  bool shifted() const { return verdict != ShiftVerdict::same && verdict != ShiftVerdict::too_few; }
};

struct ExpectComparison {
  ExpectOptions options;
  std::size_t compared = 0;  ///< parts with enough samples on both sides
  double significance = 0;   ///< for each: false_alarm / compared (Bonferroni); 0 if there is none
  std::vector<ExpectResult> results;

  bool shifted() const;
};

/// Every part that either side has.  With probability 1 - false_alarm none is said to have shifted
/// if none has, whatever the parts have to do with each other (docs/design/expect.md says what
/// this rests on).
ExpectComparison compare(const Expectation& expected, const Expectation& now,
                         const ExpectOptions& options);

}  // namespace sojourn
