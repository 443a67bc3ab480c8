#include "estimate/change/group_changes.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace sojourn {
namespace {

struct Compared {
  GroupId id;
  const Distribution* before;
  const Distribution* after;
  std::optional<ShiftTest> test;
  ShiftVerdict verdict = ShiftVerdict::too_few;

  double p_value() const { return std::min(test->slower.p_value, test->faster.p_value); }
};

GroupChange::Side side_of(const Distribution& delays) {
  const auto q = delays.quantiles(std::array{0.5, 0.95});
  return {delays.count(), q[0], q[1]};
}

/// The smallest p-value has to be below a/m, the next below a/(m-1), and so on until one is not.
void judge(std::vector<Compared>& groups, double false_alarm) {
  std::vector<Compared*> tested;
  for (Compared& group : groups)
    if (group.test) tested.push_back(&group);
  std::ranges::sort(tested, {}, [](const Compared* group) { return group->p_value(); });
  bool going_on = true;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const double significance = false_alarm / static_cast<double>(tested.size() - i);
    going_on = going_on && tested[i]->p_value() <= significance;
    tested[i]->verdict = going_on ? verdict_of(*tested[i]->test, significance) : ShiftVerdict::same;
  }
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
    Compared one{id, before, after, std::nullopt};
    // A group of fewer samples than can be compared is not worth its snapshot.
    if (static_cast<double>(std::min(before->count(), after->count())) >=
        least_independent_samples) {
      const DelaySnapshot then = before->snapshot(std::array{0.5}),
                          now = after->snapshot(std::array{0.5});
      if (enough_to_compare(then) && enough_to_compare(now))
        one.test = test_shift(then, now, options.tolerance);
    }
    changes.compared += one.test.has_value();
    groups.push_back(std::move(one));
  }
  judge(groups, options.false_alarm);

  for (const Compared& group : groups) {
    ++changes.counts[static_cast<std::size_t>(group.verdict)];
    GroupChange change;
    change.label = measurement.grouping()->label(group.id.key);
    change.kind = group.id.kind;
    change.leg = group.id.leg;
    change.verdict = group.verdict;
    if (group.test) change.p_value = group.p_value();
    change.before = side_of(*group.before);
    change.after = side_of(*group.after);
    changes.shown.push_back(std::move(change));
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
  return changes;
}

}  // namespace sojourn
