#include "estimate/sla_groups.h"

#include <algorithm>
#include <cstdint>
#include <limits>
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

constexpr auto all_rows = std::numeric_limits<std::size_t>::max();

std::vector<Judged> judge_delays(const SlaRule& rule, const Measurement& measurement) {
  std::vector<Judged> judged;
  for (const auto& entry : measurement.groups_of(rule.kind())) {
    if (!rule.is_about(entry.id.leg)) continue;
    judged.push_back(
        {rule.evaluate(*entry.distribution), entry.distribution->count(), entry.id.key});
    if (!rule.leg()) judged.back().result.leg = entry.id.leg;
  }
  return judged;
}

std::vector<Judged> judge_requests(const SlaRule& rule, const LossTally& loss) {
  std::vector<Judged> judged;
  for (const LossTally::RequestRow& row : loss.request_groups(all_rows)) {
    if (row.kind != rule.kind()) continue;
    judged.push_back({rule.evaluate(row.unanswered), row.requests, {}});
    judged.back().result.group = row.label;
  }
  return judged;
}

std::vector<Judged> judge_segments(const SlaRule& rule, const LossTally& loss) {
  std::vector<Judged> judged;
  for (const LossTally::Row& row : loss.groups(all_rows)) {
    if (!rule.is_about(row.leg)) continue;
    const ShareEstimate share = row.counts->share(*rule.sign());
    judged.push_back({rule.evaluate(share), static_cast<std::uint64_t>(share.whole), {}});
    judged.back().result.group = row.label;
    if (!rule.leg()) judged.back().result.leg = row.leg;
  }
  return judged;
}

}  // namespace

SlaGroups evaluate_groups(const SlaRule& rule, const Measurement& measurement, std::size_t limit,
                          const LossTally* loss) {
  SlaGroups groups;
  groups.rule = rule.text();
  std::vector<Judged> judged;
  if (!rule.needs_loss())
    judged = judge_delays(rule, measurement);
  else if (loss)
    judged = rule.sign() ? judge_segments(rule, *loss) : judge_requests(rule, *loss);
  for (const Judged& one : judged) ++groups.counts[static_cast<std::size_t>(one.result.verdict)];
  // Names are costly for a million groups: first cut by order, keeping ties, then name the rest.
  std::ranges::sort(judged, {}, order_of);
  if (judged.size() > limit) {
    auto end = judged.begin() + static_cast<std::ptrdiff_t>(limit);
    while (limit > 0 && end != judged.end() && order_of(*end) == order_of(*std::prev(end))) ++end;
    judged.erase(end, judged.end());
  }
  for (Judged& one : judged)
    if (!one.result.group) one.result.group = measurement.grouping()->label(one.key);
  std::ranges::sort(judged, {}, [](const Judged& one) {
    return std::tuple{urgency(one.result.verdict), ~one.samples, *one.result.group, one.result.leg};
  });
  if (judged.size() > limit)
    judged.erase(judged.begin() + static_cast<std::ptrdiff_t>(limit), judged.end());
  for (Judged& one : judged) groups.shown.push_back(std::move(one.result));
  return groups;
}

}  // namespace sojourn
