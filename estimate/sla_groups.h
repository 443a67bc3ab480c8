#pragma once
// A service level rule about each group separately: "each tcp p95 < 50ms".

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "estimate/measurement.h"
#include "estimate/sla.h"

namespace sojourn {

/// The verdicts for the groups of the rule's kind.  A group with two legs counts as two, unless the
/// rule names one.
struct SlaGroups {
  std::string rule;
  std::array<std::size_t, 3> counts{};  ///< groups by SlaVerdict
  /// Violated first, then undecided, then met; within each, those with the most samples first.  At
  /// most as many as requested.
  std::vector<SlaResult> shown;

  std::size_t count(SlaVerdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  std::size_t groups() const { return counts[0] + counts[1] + counts[2]; }
  bool broken() const { return count(SlaVerdict::violated) > 0; }
};

/// Each group is judged by its own interval, without correction for their number: of a hundred
/// groups whose true value is exactly the limit, two or three will be called violated.
///
/// Rules about shares need `loss`, which has them by group.
SlaGroups evaluate_groups(const SlaRule& rule, const Measurement& measurement, std::size_t limit,
                          const LossTally* loss = nullptr);

}  // namespace sojourn
