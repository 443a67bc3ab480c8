#include "estimate/expectation.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace sojourn {

const Expectation::Part* Expectation::find(Kind kind, Leg leg) const {
  const auto found = std::ranges::find_if(
      parts, [&](const Part& part) { return part.kind == kind && part.leg == leg; });
  return found == parts.end() ? nullptr : &*found;
}

Expectation take_expectation(const Measurement& measurement, KindSet kinds) {
  Expectation result;
  for (std::size_t k = 0; k < kind_count; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (!kinds.has(kind)) continue;
    for (std::size_t l = 0; l < leg_count; ++l) {
      const Leg leg = static_cast<Leg>(l);
      if (headline_is_sum(kind) && leg != Leg::sum) continue;
      const Distribution& distribution = measurement.leg(kind, leg);
      if (!distribution.empty())
        result.parts.push_back({kind, leg, distribution.snapshot(expectation_quantiles)});
    }
  }
  return result;
}

void take_groups(const Measurement& measurement, KindSet kinds, Expectation& expectation) {
  if (!measurement.grouping()) return;
  expectation.grouping = measurement.grouping()->name();
  std::vector<Groups::Entry> entries;
  for (std::size_t k = 0; k < kind_count; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (!kinds.has(kind)) continue;
    for (const Groups::Entry& entry : measurement.groups_of(kind)) {
      const bool is_part = headline_is_sum(kind) && entry.id.leg != Leg::sum;
      const bool enough =
          static_cast<double>(entry.distribution->count()) >= least_independent_samples;
      if (!entry.id.key.other && !is_part && enough) entries.push_back(entry);
    }
  }
  std::ranges::sort(entries, std::greater{},
                    [](const Groups::Entry& entry) { return entry.distribution->count(); });
  if (entries.size() > most_saved_groups)
    entries.erase(entries.begin() + most_saved_groups, entries.end());
  for (const Groups::Entry& entry : entries)
    expectation.groups.push_back(
        {measurement.grouping()->identity(entry.id.key),
         {entry.id.kind, entry.id.leg, entry.distribution->snapshot(expectation_quantiles)}});
  // The same file for the same groups, whatever their order in memory.
  std::ranges::sort(expectation.groups, {}, [](const Expectation::GroupPart& group) {
    return std::tie(group.label, group.part.kind, group.part.leg);
  });
}

bool ExpectComparison::shifted() const {
  return std::ranges::any_of(results, &ExpectResult::shifted);
}

ExpectComparison compare(const Expectation& expected, const Expectation& now,
                         const ExpectOptions& options) {
  ExpectComparison comparison;
  comparison.options = options;
  const auto add = [&](Kind kind, Leg leg, const DelaySnapshot* then_delays,
                       const DelaySnapshot* now_delays) {
    ExpectResult result;
    result.kind = kind;
    result.leg = leg;
    if (now_delays) result.now = *now_delays;
    if (then_delays) result.expected = *then_delays;
    result.now_independent = result.now.independent_samples();
    result.expected_independent = result.expected.independent_samples();
    if (enough_to_compare(result.expected) && enough_to_compare(result.now)) {
      result.test = test_shift(result.expected, result.now, options.tolerance);
      ++comparison.compared;
    }
    result.now.buckets.clear();
    result.expected.buckets.clear();
    comparison.results.push_back(std::move(result));
  };
  for (std::size_t k = 0; k < kind_count; ++k)
    for (std::size_t l = 0; l < leg_count; ++l) {
      const Kind kind = static_cast<Kind>(k);
      const Leg leg = static_cast<Leg>(l);
      const auto* const stored = expected.find(kind, leg);
      const auto* const measured = now.find(kind, leg);
      if (stored || measured)
        add(kind, leg, stored ? &stored->delays : nullptr, measured ? &measured->delays : nullptr);
    }

  if (comparison.compared == 0) return comparison;
  comparison.significance = options.false_alarm / static_cast<double>(comparison.compared);
  for (ExpectResult& result : comparison.results)
    if (result.test) result.verdict = verdict_of(*result.test, comparison.significance);
  return comparison;
}

}  // namespace sojourn
