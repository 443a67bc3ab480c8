#pragma once
// Which groups became slower or faster: at a given time, or since another run.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/expectation.h"
#include "estimate/measurement.h"

namespace sojourn {

/// One group, kind and leg, before and after.
struct GroupChange {
  /// The figures shown for either side.
  struct Side {
    std::uint64_t samples = 0;
    Duration median{}, p95{};
  };

  GroupKey key;
  std::string label;
  Kind kind = Kind::tcp;
  Leg leg = Leg::server;
  ShiftVerdict verdict = ShiftVerdict::too_few;
  std::optional<double> p_value = {};  ///< nullopt with too few samples
  Side before, after;

  bool changed() const { return verdict != ShiftVerdict::same && verdict != ShiftVerdict::too_few; }
  /// The ratio of the medians, the greater over the smaller.
  double factor() const;
};

struct GroupChanges {
  std::optional<Timestamp> at;  ///< nullopt: since another, stored run
  ExpectOptions options;
  std::size_t compared = 0;             ///< with enough samples on both sides
  std::array<std::size_t, 5> counts{};  ///< by ShiftVerdict
  std::size_t gone = 0;                 ///< since another run: its groups that have no samples now
  std::size_t fresh = 0;                ///< groups with enough samples now that it did not have
  std::vector<GroupChange> shown;       ///< changed groups first, greatest change first

  bool any_changed() const {
    return count(ShiftVerdict::slower) + count(ShiftVerdict::faster) +
               count(ShiftVerdict::changed_shape) >
           0;
  }
  std::size_t count(ShiftVerdict verdict) const {
    return counts[static_cast<std::size_t>(verdict)];
  }
};

/// The verdict of --expect for each group with samples before and after MeasurementOptions::split.
/// If no group has changed, with probability 1 - false_alarm none is reported, however many there
/// are: Holm's step-down procedure (Holm 1979) over all that could be compared.  It holds for any
/// dependence between them.
GroupChanges compare_groups(const Measurement& measurement, const ExpectOptions& options,
                            std::size_t limit);

/// The same for each group that is also in `expected`, by name, kind and leg.
GroupChanges compare_groups(const Expectation& expected, const Measurement& now, KindSet kinds,
                            const ExpectOptions& options, std::size_t limit);

}  // namespace sojourn
