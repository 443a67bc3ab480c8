#include "estimate/change/group_changes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace sojourn {
namespace {

struct Compared {
  GroupChange change;
  std::optional<ShiftTest> test;

  double p_value() const { return std::min(test->slower.p_value, test->faster.p_value); }
};

GroupChange::Side side_of(const Distribution& delays) {
  const auto q = delays.quantiles(std::array{0.5, 0.95});
  return {delays.count(), q[0], q[1]};
}

GroupChange::Side side_of(const DelaySnapshot& delays) {
  return {delays.samples, delays.quantile(0.5).value_or(Duration{}),
          delays.quantile(0.95).value_or(Duration{})};
}

bool may_be_enough(std::uint64_t samples) {
  return static_cast<double>(samples) >= least_independent_samples;
}

std::optional<ShiftTest> test_of(const DelaySnapshot& then, const DelaySnapshot& now,
                                 const ExpectOptions& options) {
  if (!enough_to_compare(then) || !enough_to_compare(now)) return std::nullopt;
  return test_shift(then, now, options.tolerance);
}

/// The smallest p-value has to be below a/m, the next below a/(m-1), and so on until one fails.
void judge(std::vector<Compared>& groups, double false_alarm) {
  std::vector<Compared*> tested;
  for (Compared& group : groups)
    if (group.test) tested.push_back(&group);
  std::ranges::sort(tested, {}, [](const Compared* group) { return group->p_value(); });
  bool going_on = true;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const double significance = false_alarm / static_cast<double>(tested.size() - i);
    going_on = going_on && tested[i]->p_value() <= significance;
    tested[i]->change.verdict =
        going_on ? verdict_of(*tested[i]->test, significance) : ShiftVerdict::same;
  }
}

/// Judged, counted, sorted, and at most `limit` of them.
void conclude(std::vector<Compared> groups, std::size_t limit, GroupChanges& changes) {
  judge(groups, changes.options.false_alarm);
  for (Compared& group : groups) {
    changes.compared += group.test.has_value();
    ++changes.counts[static_cast<std::size_t>(group.change.verdict)];
    if (group.test) group.change.p_value = group.p_value();
    changes.shown.push_back(std::move(group.change));
  }
  const auto rank = [](const GroupChange& change) {
    const std::uint64_t samples = change.before.samples + change.after.samples;
    return std::tuple{!change.changed(), change.changed() ? -change.factor() : 0.0,
                      ~samples,          change.label,
                      change.kind,       change.leg};
  };
  std::ranges::sort(changes.shown, {}, rank);
  if (changes.shown.size() > limit)
    changes.shown.erase(changes.shown.begin() + static_cast<std::ptrdiff_t>(limit),
                        changes.shown.end());
}

}  // namespace

double GroupChange::factor() const {
  const double a = static_cast<double>(std::max<std::int64_t>(before.median.count(), 1));
  const double b = static_cast<double>(std::max<std::int64_t>(after.median.count(), 1));
  return std::max(a / b, b / a);
}

GroupChanges compare_groups(const Measurement& measurement, const ExpectOptions& options,
                            std::size_t limit) {
  GroupChanges changes;
  changes.options = options;
  if (!measurement.split()) return changes;
  changes.at = *measurement.split();
  std::vector<Compared> groups;
  for (const auto& [id, before, after] : measurement.groups_at_split()) {
    Compared one{{.key = id.key,
                  .label = measurement.grouping()->label(id.key),
                  .kind = id.kind,
                  .leg = id.leg,
                  .before = side_of(*before),
                  .after = side_of(*after)},
                 std::nullopt};
    // A group with too few samples to be compared needs no snapshot.
    if (may_be_enough(std::min(before->count(), after->count())))
      one.test =
          test_of(before->snapshot(std::array{0.5}), after->snapshot(std::array{0.5}), options);
    groups.push_back(std::move(one));
  }
  conclude(std::move(groups), limit, changes);
  return changes;
}

GroupChanges compare_groups(const Expectation& expected, const Measurement& now, KindSet kinds,
                            const ExpectOptions& options, std::size_t limit) {
  GroupChanges changes;
  changes.options = options;
  if (!now.grouping()) return changes;
  std::map<std::tuple<std::string, Kind, Leg>, const DelaySnapshot*> saved;
  for (const auto& [label, part] : expected.groups)
    if (kinds.has(part.kind)) saved[{label, part.kind, part.leg}] = &part.delays;
  std::vector<Compared> groups;
  for (std::size_t k = 0; k < kind_count; ++k)
    for (const auto& [id, delays] : now.groups_of(static_cast<Kind>(k))) {
      if (id.key.other) continue;
      const bool enough = may_be_enough(delays->count());
      const auto found = saved.find({now.grouping()->identity(id.key), id.kind, id.leg});
      if (found == saved.end()) {
        const bool is_part = headline_is_sum(id.kind) && id.leg != Leg::sum;
        changes.fresh += enough && !is_part;
        continue;
      }
      Compared one{{.key = id.key,
                    .label = now.grouping()->label(id.key),
                    .kind = id.kind,
                    .leg = id.leg,
                    .before = side_of(*found->second),
                    .after = side_of(*delays)},
                   std::nullopt};
      if (enough) one.test = test_of(*found->second, delays->snapshot(std::array{0.5}), options);
      groups.push_back(std::move(one));
      saved.erase(found);
    }
  changes.gone = saved.size();
  conclude(std::move(groups), limit, changes);
  return changes;
}

}  // namespace sojourn
