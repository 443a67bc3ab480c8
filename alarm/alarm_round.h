#pragma once
// One evaluation of a store: every rule on all data that it covers.

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "alarm/alarm_book.h"
#include "alarm/alarm_rule.h"
#include "core/address.h"
#include "store/question.h"
#include "store/store.h"

namespace sojourn {

struct AlarmOptions {
  std::vector<AlarmRule> rules;
  /// Over all rules, subjects and groups together, if nothing changes.
  double false_alarms_per_week = 0.1;
  Duration window = std::chrono::minutes{5};
  Duration every = std::chrono::minutes{1};
  double tolerance = 0.05;  ///< of rules about the usual delay
  std::vector<Prefix> except;
  std::size_t most_groups = 2'000;  ///< of a subject, the heaviest first
  int weeks = 4;                    ///< that make up the usual delay
};

/// The share of the false-alarm rate for each of `judgements` in one round (Bonferroni): a week has
/// week / every rounds.
double significance_of(const AlarmOptions& options, std::size_t judgements);

/// The usual delay at a time is the delay around that time in the weeks before.  So a steady drift
/// does not count as a change, as it would at the edge of a fixed hour.  Stores keep slices of ten
/// minutes for as long as this needs them.
inline constexpr Duration usual_step = std::chrono::minutes{10};
inline constexpr Duration usual_span = std::chrono::minutes{40};
/// Where the reference window begins for data judged from `from` to `to`.
Timestamp usual_begin(Timestamp from, Timestamp to);

class AlarmRounds {
 public:
  explicit AlarmRounds(AlarmOptions options) : options_(std::move(options)) {}

  /// Judges the delays of a `window` that ends shortly before `now`.
  Result<std::vector<AlarmFinding>> look(Store& store, Timestamp now);
  const AlarmOptions& options() const { return options_; }

 private:
  using SeriesKey = std::tuple<std::string, std::uint8_t, std::uint8_t, std::string>;

  Result<void> learn_usual(Store& store, Timestamp begin);
  bool is_excepted(const std::optional<Prefix>& prefix) const;

  AlarmOptions options_;
  std::map<SeriesKey, DelaySnapshot> usual_;
  std::optional<Timestamp> usual_begin_;
};

}  // namespace sojourn
