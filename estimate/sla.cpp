#include "estimate/sla.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/parse.h"
#include "core/units.h"
#include "estimate/unanswered.h"

namespace sojourn {
namespace {

/// Everything up to one of `ends`, removed from the front of `text` with the spaces around it.
std::string_view take_word(std::string_view& text, std::string_view ends) {
  const auto length = std::min(text.find_first_of(ends), text.size());
  const auto word = text.substr(0, length);
  text = trimmed(text.substr(length));
  return word;
}

/// Shares of segments and packets by their name in LossSign.
std::optional<LossSign> share_named(std::string_view name) {
  const auto found = std::ranges::find(loss_sign_names, name);
  const auto sign = static_cast<LossSign>(found - loss_sign_names.begin());
  if (found == loss_sign_names.end() || sign == LossSign::segment || sign == LossSign::packet)
    return std::nullopt;
  return sign;
}

std::optional<Leg> leg_named(std::string_view name) {
  const auto found = std::ranges::find(leg_names, name);
  if (found == leg_names.end()) return std::nullopt;
  return static_cast<Leg>(found - leg_names.begin());
}

}  // namespace

std::string_view name_of(SlaVerdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"met", "violated", "undecided"};
  return names[static_cast<std::size_t>(verdict)];
}

Result<SlaRule> SlaRule::parse(std::string_view text) {
  SlaRule rule;
  rule.text_ = trimmed(text);
  const auto wrong = [&](std::string_view expected) {
    return failure(fmt::format("in SLA rule '{}': expected {}, as in '{}tcp p95 < 50ms'",
                               rule.text_, expected, rule.each_group_ ? "each " : ""));
  };
  std::string_view rest = rule.text_;

  auto subject = take_word(rest, " \t<>");
  if (subject == "each") {
    rule.each_group_ = true;
    subject = take_word(rest, " \t<>");
  }
  const auto dot = subject.find('.');
  const auto kind = kind_named(subject.substr(0, dot));
  if (!kind) return wrong(fmt::format("one of {} at the start", fmt::join(kind_names, ", ")));
  rule.kind_ = *kind;
  if (dot != std::string_view::npos) {
    rule.leg_ = leg_named(subject.substr(dot + 1));
    if (!rule.leg_)
      return wrong(fmt::format("one of {} after the dot", fmt::join(leg_names, ", ")));
  }

  const auto statistic = take_word(rest, " \t<>");
  if (statistic == "mean")
    rule.statistic_ = Statistic::mean;
  else if (statistic == "min")
    rule.statistic_ = Statistic::min;
  else if (statistic == "max")
    rule.statistic_ = Statistic::max;
  else if (statistic == "median")
    rule.q_ = 0.5;
  else if (const auto q = parse_percentile(statistic))
    rule.q_ = *q / 100;
  else if (statistic == "unanswered" || share_named(statistic)) {
    rule.statistic_ = Statistic::share;
    rule.sign_ = share_named(statistic);
    if (rule.sign_ && rule.kind_ != Kind::tcp)
      return wrong(fmt::format("kind tcp for '{}'", statistic));
    if (!rule.sign_ && rule.leg_) return wrong("no leg: requests are counted for the whole");
    if (!rule.sign_ && rule.each_group_ && !unanswered_means_lost(rule.kind_))
      return wrong("handshake, dns, ntp or icmp, whose requests are counted by group");
  } else
    return wrong(fmt::format("p0.1 to p99.9, median, mean, min, max or a share of loss after '{}'",
                             subject));

  if (rest.empty() || (rest.front() != '<' && rest.front() != '>'))
    return wrong(fmt::format("< or > after '{}'", statistic));
  const bool less = rest.front() == '<';
  rest.remove_prefix(1);
  const bool or_equal = rest.starts_with('=');
  if (or_equal) rest.remove_prefix(1);
  rule.comparison_ = less ? (or_equal ? Comparison::less_or_equal : Comparison::less)
                          : (or_equal ? Comparison::greater_or_equal : Comparison::greater);

  if (rule.statistic_ == Statistic::share) {
    const auto share = parse_share(trimmed(rest));
    if (!share)
      return std::unexpected(
          share.error().while_doing(fmt::format("in SLA rule '{}'", rule.text_)));
    rule.share_limit_ = *share;
    return rule;
  }
  const auto limit = parse_duration(trimmed(rest));
  if (!limit)
    return std::unexpected(limit.error().while_doing(fmt::format("in SLA rule '{}'", rule.text_)));
  rule.limit_ = *limit;
  return rule;
}

template <class Value>
bool SlaRule::keeps(Value value, Value limit) const {
  switch (comparison_) {
    case Comparison::less:
      return value < limit;
    case Comparison::less_or_equal:
      return value <= limit;
    case Comparison::greater:
      return value > limit;
    case Comparison::greater_or_equal:
      return value >= limit;
  }
  return false;
}

std::optional<Duration> SlaRule::value_of(const Distribution& distribution) const {
  switch (statistic_) {
    case Statistic::quantile:
      return distribution.quantile(q_);
    case Statistic::mean:
      return distribution.mean();
    case Statistic::min:
      return distribution.min();
    case Statistic::max:
      return distribution.max();
    case Statistic::share:
      break;
  }
  return std::nullopt;
}

std::optional<Interval> SlaRule::interval_of(const Distribution& distribution,
                                             double confidence) const {
  switch (statistic_) {
    case Statistic::quantile:
      return distribution.interval(q_, confidence);
    case Statistic::mean:
      return distribution.mean_interval(confidence);
    default:
      break;
  }
  // A rule about the extremes is about what was seen, which is known.
  const auto value = value_of(distribution);
  return value ? std::optional{Interval{*value, *value}} : std::nullopt;
}

SlaResult SlaRule::evaluate(const Distribution& distribution, double confidence) const {
  SlaResult result{.rule = text_,
                   .value = value_of(distribution),
                   .interval = interval_of(distribution, confidence)};
  if (!result.value) return result;
  result.ok = keeps(*result.value);
  const bool low_keeps = keeps(result.interval->low);
  const bool high_keeps = keeps(result.interval->high);
  if (low_keeps && high_keeps) result.verdict = SlaVerdict::met;
  if (!low_keeps && !high_keeps) result.verdict = SlaVerdict::violated;

  // If there are too few samples to bound the value, the part beyond is unknown.
  const bool is_upper_limit =
      comparison_ == Comparison::less || comparison_ == Comparison::less_or_equal;
  const bool met_side =
      is_upper_limit ? result.interval->bounded_above : result.interval->bounded_below;
  const bool violated_side =
      is_upper_limit ? result.interval->bounded_below : result.interval->bounded_above;
  if (result.verdict == SlaVerdict::met && !met_side) result.verdict = SlaVerdict::undecided;
  if (result.verdict == SlaVerdict::violated && !violated_side)
    result.verdict = SlaVerdict::undecided;
  return result;
}

SlaResult SlaRule::evaluate(const ShareEstimate& share) const {
  SlaResult result{.rule = text_, .value = std::nullopt, .interval = std::nullopt};
  if (share.whole <= 0) return result;
  result.share = share;
  result.ok = keeps(share.value, share_limit_);
  const bool low_keeps = keeps(share.low, share_limit_),
             high_keeps = keeps(share.high, share_limit_);
  if (share.bounded && low_keeps == high_keeps)
    result.verdict = low_keeps ? SlaVerdict::met : SlaVerdict::violated;
  return result;
}

std::vector<SlaResult> SlaRule::evaluate(const Measurement& measurement,
                                         const LossTally* loss) const {
  std::vector<SlaResult> results;
  if (statistic_ == Statistic::share && !sign_)
    return {evaluate(unanswered_share(measurement, kind_))};
  for (std::size_t i = 0; i < leg_count; ++i) {
    const Leg leg = static_cast<Leg>(i);
    if (sign_) {
      if (!loss || !is_about(leg) || loss->leg(leg).empty()) continue;
      results.push_back(evaluate(loss->leg(leg).share(*sign_)));
      results.back().leg = leg;
      continue;
    }
    if (!is_about(leg) || measurement.leg(kind_, leg).empty()) continue;
    results.push_back(evaluate(measurement.leg(kind_, leg)));
    results.back().leg = leg;
  }
  if (results.empty()) results.push_back(evaluate(Distribution{}));
  if (results.size() == 1) results.front().leg.reset();
  return results;
}

}  // namespace sojourn
