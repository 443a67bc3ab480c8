#pragma once
// What deserves an alarm, and how one window of delays is judged.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/kind.h"
#include "core/result.h"
#include "estimate/distribution/delay_snapshot.h"
#include "estimate/distribution/distribution.h"
#include "estimate/sla.h"

namespace sojourn {

/// `bad` and `good` are statistically significant; in between, no alarm opens or clears.
enum class AlarmState : std::uint8_t { good, unclear, bad };

struct AlarmJudgement {
  AlarmState state = AlarmState::unclear;
  std::optional<Duration> value;     ///< of the statistic, or the median for the usual delay
  std::optional<Interval> interval;  ///< at the confidence of the decision
  std::optional<Duration> bound;     ///< the limit, or the usual median
  std::string why;                   ///< a sentence; only if bad
};

/// A rule of --sla ("oneway" is a kind too), or a comparison with the usual delay at that time of
/// the week:
///
///     tcp p95 < 50ms      each oneway p99 < 20ms      each tcp.server usual      dns usual
class AlarmRule {
 public:
  static Result<AlarmRule> parse(std::string_view text);

  /// `significance`: the probability of `bad` by chance.  `usual` is needed only by rules about it;
  /// `tolerance` is the relative change that they ignore.
  AlarmJudgement judge(const Distribution& now, const DelaySnapshot* usual, double significance,
                       double tolerance) const;

  const std::string& text() const { return text_; }
  std::uint8_t measure() const { return measure_; }
  bool each_group() const { return sla_.each_group(); }
  bool about_usual() const { return usual_; }
  /// Whether a distribution of the rule's kind and this leg is judged.
  bool is_about(std::uint8_t leg) const;

 private:
  explicit AlarmRule(SlaRule sla) : sla_(std::move(sla)) {}
  AlarmJudgement judge_bound(const Distribution& now, double significance) const;
  AlarmJudgement judge_usual(const Distribution& now, const DelaySnapshot& usual,
                             double significance, double tolerance) const;

  std::string text_;
  std::uint8_t measure_ = 0;
  bool usual_ = false;
  SlaRule sla_;  ///< for a rule about the usual delay: its kind, leg and groups
};

}  // namespace sojourn
