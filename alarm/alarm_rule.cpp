#include "alarm/alarm_rule.h"

#include <fmt/format.h>

#include "core/units.h"
#include "estimate/distribution/shift.h"
#include "store/cells.h"

namespace sojourn {
namespace {

/// Significance of a negligible shift: while one is seen, an alarm does not clear.
constexpr double still_shifted = 0.05;

}  // namespace

Result<AlarmRule> AlarmRule::parse(std::string_view text) {
  std::string words{text};
  constexpr std::string_view usual = " usual", oneway = "oneway";
  const bool about_usual = words.ends_with(usual);
  if (about_usual) words.replace(words.size() - usual.size(), usual.size(), " median < 1s");
  const std::size_t kind = words.starts_with("each ") ? 5 : 0;
  const bool is_oneway = std::string_view{words}.substr(kind).starts_with(oneway);
  // A segment has only one leg; the rest of the rule is as for any kind.
  if (is_oneway) words.replace(kind, oneway.size(), "tcp");
  auto sla = SlaRule::parse(words);
  if (!sla) return std::unexpected(sla.error());
  if (!sla->is_estimated())
    return failure("in alarm rule '" + std::string{text} +
                   "': only quantiles and means have an interval, and can alarm");
  if (is_oneway && sla->leg())
    return failure("in alarm rule '" + std::string{text} + "': oneway has no legs");
  AlarmRule rule{std::move(*sla)};
  rule.text_ = text;
  rule.usual_ = about_usual;
  rule.measure_ = is_oneway ? number_of(Measure::oneway) : number_of(rule.sla_.kind());
  return rule;
}

bool AlarmRule::is_about(std::uint8_t leg) const {
  return measure_ == number_of(Measure::oneway) || sla_.is_about(static_cast<Leg>(leg));
}

AlarmJudgement AlarmRule::judge(const Distribution& now, const DelaySnapshot* usual,
                                double significance, double tolerance) const {
  if (now.empty()) return {};
  if (!usual_) return judge_bound(now, significance);
  return usual ? judge_usual(now, *usual, significance, tolerance) : AlarmJudgement{};
}

AlarmJudgement AlarmRule::judge_bound(const Distribution& now, double significance) const {
  // One side of a two-sided interval decides.
  const SlaResult result = sla_.evaluate(now, 1 - 2 * significance);
  AlarmJudgement judgement{AlarmState::unclear, result.value, result.interval, sla_.limit(), {}};
  if (result.verdict == SlaVerdict::violated) {
    judgement.state = AlarmState::bad;
    judgement.why =
        fmt::format("{} of {} samples, surely beyond {}", format_duration(*result.value),
                    now.count(), format_duration(sla_.limit()));
  } else if (result.ok) {
    judgement.state = AlarmState::good;
  }
  return judgement;
}

AlarmJudgement AlarmRule::judge_usual(const Distribution& now, const DelaySnapshot& usual,
                                      double significance, double tolerance) const {
  const DelaySnapshot current = now.snapshot({});
  if (!enough_to_compare(current) || !enough_to_compare(usual)) return {};
  AlarmJudgement judgement;
  judgement.value = now.quantile(0.5);
  judgement.interval = now.interval(0.5);
  judgement.bound = usual.quantile(0.5);
  const ShiftTest test = test_shift(usual, current, tolerance);
  if (verdict_of(test, significance) == ShiftVerdict::slower) {
    judgement.state = AlarmState::bad;
    judgement.why = fmt::format("slower than usual at this time of the week by more than {:.0f} %",
                                tolerance * 100);
  } else if (verdict_of(test, still_shifted) != ShiftVerdict::slower) {
    judgement.state = AlarmState::good;
  }
  return judgement;
}

}  // namespace sojourn
