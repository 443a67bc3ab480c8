#pragma once
// Service level rules: "tcp p95 < 50ms", judged with the confidence interval.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kind.h"
#include "core/result.h"
#include "estimate/distribution/distribution.h"
#include "estimate/loss_tally.h"
#include "estimate/measurement.h"
#include "estimate/share_estimate.h"

namespace sojourn {

enum class SlaVerdict : std::uint8_t {
  met,        ///< the value and its whole confidence interval meet the limit
  violated,   ///< the value and its whole confidence interval break it
  undecided,  ///< the interval contains the limit, or there are no samples
};
std::string_view name_of(SlaVerdict verdict);

struct SlaResult {
  std::string rule;                    ///< as the user wrote it
  std::optional<std::string> group{};  ///< whose value it is, for a rule about each group
  std::optional<Leg> leg{};            ///< the leg, if the rule does not name one and it matters
  std::optional<Duration> value;       ///< nullopt without samples
  std::optional<Interval> interval;
  std::optional<ShareEstimate> share{};  ///< for a rule about a share, instead of the two
  bool ok = false;                       ///< the value itself meets the limit; only with a value
  SlaVerdict verdict = SlaVerdict::undecided;

  /// This decides the exit status.  A group breaks its rule only if it does so with its whole
  /// interval: there may be thousands of groups, many with a handful of samples.  The same holds
  /// for a share by weights, whose value is often above 0 if nothing was lost.
  bool broken() const {
    if (group || (share && share->by_weights)) return verdict == SlaVerdict::violated;
    return (value || share) && !ok;
  }
};

/// [each] KIND[.LEG] STATISTIC COMPARISON DURATION, or [each] KIND[.LEG] SHARE COMPARISON PERCENT,
/// as in
///
///     tcp p95 < 50ms      tcp.external p99.9 <= 200ms      dns mean < 20ms      icmp max <= 1s
///     tcp retransmitted < 1%      dns unanswered < 0.5%
///     each tcp p95 < 50ms     each dns unanswered < 0.5%
///
/// The last two are about each group of --by separately (estimate/sla_groups.h).  A rule without a
/// leg is about Leg::sum if the kind has it, otherwise about each leg separately: the pooled delay
/// of two legs depends on how many samples each gave.  Parts of a leg, its network and its
/// thinking, are judged only if named.
class SlaRule {
 public:
  static Result<SlaRule> parse(std::string_view text);

  SlaResult evaluate(const Distribution& distribution, double confidence = 0.95) const;
  /// On the leg that the rule names, on the kind's sum, or one result for each leg with samples.
  /// A rule about signs of loss needs `loss`.
  std::vector<SlaResult> evaluate(const Measurement& measurement,
                                  const LossTally* loss = nullptr) const;
  bool needs_loss() const { return sign_.has_value() || (each_group_ && about_unanswered()); }
  bool about_unanswered() const { return statistic_ == Statistic::share && !sign_; }
  /// A sign of loss, if the rule is about the share of its packets.
  std::optional<LossSign> sign() const { return sign_; }
  SlaResult evaluate(const ShareEstimate& share) const;
  /// Whether a distribution of the rule's kind and this leg is judged.
  bool is_about(Leg leg) const {
    if (leg_) return *leg_ == leg;
    return headline_is_sum(kind_) ? leg == Leg::sum : !is_part(leg);
  }

  Kind kind() const { return kind_; }
  std::optional<Leg> leg() const { return leg_; }
  bool each_group() const { return each_group_; }
  const std::string& text() const { return text_; }
  Duration limit() const { return limit_; }
  /// Whether the value is an estimate with an interval.  The extremes are only what was seen.
  bool is_estimated() const {
    return statistic_ == Statistic::quantile || statistic_ == Statistic::mean;
  }

 private:
  enum class Statistic : std::uint8_t { quantile, mean, min, max, share };
  enum class Comparison : std::uint8_t { less, less_or_equal, greater, greater_or_equal };

  SlaRule() = default;
  template <class Value>
  bool keeps(Value value, Value limit) const;
  bool keeps(Duration value) const { return keeps(value, limit_); }
  std::optional<Duration> value_of(const Distribution& distribution) const;
  std::optional<Interval> interval_of(const Distribution& distribution, double confidence) const;

  std::string text_;
  bool each_group_ = false;
  Kind kind_ = Kind::tcp;
  std::optional<Leg> leg_;
  Statistic statistic_ = Statistic::quantile;
  double q_ = 0;
  Comparison comparison_ = Comparison::less;
  Duration limit_{};
  std::optional<LossSign> sign_;  ///< of a rule about a share; none: unanswered requests
  double share_limit_ = 0;
};

}  // namespace sojourn
