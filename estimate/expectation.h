#pragma once
// The stored delays of a run, and the comparison of another run with them.

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
/// Legs are kept separate: the number of samples of each leg depends on who uploads and who
/// downloads, and pooled it would look like a change of delay.  For a kind whose headline is
/// Leg::sum, only that leg is kept.
struct Expectation {
  struct Part {
    Kind kind = Kind::tcp;
    Leg leg = Leg::server;
    DelaySnapshot delays;
  };

  std::optional<Timestamp> first, last;  ///< when it was measured
  std::vector<Part> parts;               ///< only parts with samples

  /// The same for one group, by its name.
  struct GroupPart {
    std::string label;
    Part part;
  };
  std::string grouping;           ///< what --by said; empty if there are no groups
  std::vector<GroupPart> groups;  ///< those with enough samples to be compared

  const Part* find(Kind kind, Leg leg) const;
};

/// The quantiles that are stored besides the buckets.
inline constexpr std::array expectation_quantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

/// The results of `measurement` for `kinds`, without groups.
Expectation take_expectation(const Measurement& measurement, KindSet kinds);

/// The maximum number of stored groups: those with the most samples.
inline constexpr std::size_t most_saved_groups = 10'000;
/// Adds the groups of `kinds`, if there are any.  For a kind with a sum, only that leg, as above.
void take_groups(const Measurement& measurement, KindSet kinds, Expectation& expectation);

struct ExpectOptions {
  double false_alarm = 0.001;  ///< of the whole comparison, over all kinds and legs
  double tolerance = 0.05;     ///< relative change of delays to ignore
};

/// One kind and leg, before and now.
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

/// Every part that either side has.  If none has shifted, with probability 1 - false_alarm none is
/// reported, for any dependence between the parts (docs/design/expect.md lists the assumptions).
ExpectComparison compare(const Expectation& expected, const Expectation& now,
                         const ExpectOptions& options);

}  // namespace sojourn
