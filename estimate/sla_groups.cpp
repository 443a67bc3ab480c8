#include "estimate/sla_groups.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace sojourn {
namespace {

struct Judged {
  SlaResult result;
  std::uint64_t samples = 0;
  GroupKey key;
};

/// The display order: violated, then undecided, then met.
int urgency(SlaVerdict verdict) {
  if (verdict == SlaVerdict::violated) return 0;
  return verdict == SlaVerdict::undecided ? 1 : 2;
}

auto order_of(const Judged& judged) {
  return std::tuple{urgency(judged.result.verdict), ~judged.samples};
}

}  // namespace

SlaGroups evaluate_groups(const SlaRule& rule, const Measurement& measurement, std::size_t limit) {
  SlaGroups groups;
  groups.rule = rule.text();
  std::vector<Judged> judged;
  for (const auto& entry : measurement.groups_of(rule.kind())) {
    if (!rule.is_about(entry.id.leg)) continue;
    judged.push_back(
        {rule.evaluate(*entry.distribution), entry.distribution->count(), entry.id.key});
    if (!rule.leg()) judged.back().result.leg = entry.id.leg;
    ++groups.counts[static_cast<std::size_t>(judged.back().result.verdict)];
  }
  // Names are costly for a million groups: first cut by order, keeping ties, then name the rest.
  std::ranges::sort(judged, {}, order_of);
  if (judged.size() > limit) {
    auto end = judged.begin() + static_cast<std::ptrdiff_t>(limit);
    while (limit > 0 && end != judged.end() && order_of(*end) == order_of(*std::prev(end))) ++end;
    judged.erase(end, judged.end());
  }
  for (Judged& one : judged) one.result.group = measurement.grouping()->label(one.key);
  std::ranges::sort(judged, {}, [](const Judged& one) {
    return std::tuple{urgency(one.result.verdict), ~one.samples, *one.result.group, one.result.leg};
  });
  if (judged.size() > limit)
    judged.erase(judged.begin() + static_cast<std::ptrdiff_t>(limit), judged.end());
  for (Judged& one : judged) groups.shown.push_back(std::move(one.result));
  return groups;
}

}  // namespace sojourn
