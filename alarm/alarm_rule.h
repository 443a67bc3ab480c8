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

/// `bad` and `good` are sure; between them nothing is known that would open or clear an alarm.
enum class AlarmState : std::uint8_t { good, unclear, bad };

struct AlarmJudgement {
  AlarmState state = AlarmState::unclear;
  std::optional<Duration> value;     ///< of the statistic; of a rule about the usual: the median
  std::optional<Interval> interval;  ///< at the confidence that the decision took
  std::optional<Duration> bound;     ///< the limit, or the usual median
  std::string why;                   ///< a sentence; only if it is bad
};

/// A rule of --sla, "oneway" being a kind as well, or what is usual for that time of the week:
///
///     tcp p95 < 50ms      each oneway p99 < 20ms      each tcp.server usual      dns usual
class AlarmRule {
 public:
  static Result<AlarmRule> parse(std::string_view text);

  /// `significance`: how often the judgement may be `bad` by chance.  `usual` is needed only by
  /// rules about it; `tolerance` is the relative change that they ignore.
  AlarmJudgement judge(const Distribution& now, const DelaySnapshot* usual, double significance,
                       double tolerance) const;

  const std::string& text() const { return text_; }
  std::uint8_t measure() const { return measure_; }
  bool each_group() const { return sla_.each_group(); }
  bool about_usual() const { return usual_; }
  /// Is a distribution of the rule's kind and this leg to be judged?
  bool is_about(std::uint8_t leg) const;

 private:
  explicit AlarmRule(SlaRule sla) : sla_(std::move(sla)) {}
  AlarmJudgement judge_bound(const Distribution& now, double significance) const;
  AlarmJudgement judge_usual(const Distribution& now, const DelaySnapshot& usual,
                             double significance, double tolerance) const;

  std::string text_;
  std::uint8_t measure_ = 0;
  bool usual_ = false;
  SlaRule sla_;  ///< of a rule about the usual: its kind, leg and groups
};

}  // namespace sojourn
