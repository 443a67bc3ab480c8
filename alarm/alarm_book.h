#pragma once
// Current and past alarms: opened by a significant violation, cleared when all stays good.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alarm/alarm_rule.h"
#include "core/time.h"

namespace sojourn {

/// One judgement within a round.
struct AlarmFinding {
  std::string rule, subject;
  std::string group;  ///< leg and prefix; empty: all traffic
  AlarmJudgement judgement;
};

struct Alarm {
  std::uint64_t id = 0;
  std::string rule, subject;
  std::set<std::string> groups;  ///< groups that are or were bad
  Timestamp since{};
  std::optional<Timestamp> until;
  AlarmJudgement worst;  ///< of the group with the greatest value
};

/// All groups of a subject that break a rule are one alarm, because one cause may slow fifty
/// prefixes behind a segment.  It clears when each of its groups was good for `calm` rounds in a
/// row, or when none of them could be judged for `silence` rounds.
class AlarmBook {
 public:
  static constexpr int calm = 5;
  static constexpr int silence = 60;
  static constexpr std::size_t most_past = 1000;

  enum class Change : std::uint8_t { opened, closed };

  /// The alarms that changed in this round, in their new state.
  std::vector<std::pair<Change, Alarm>> take(Timestamp now,
                                             const std::vector<AlarmFinding>& findings);

  std::vector<Alarm> open() const;
  /// Newest first.
  const std::deque<Alarm>& past() const { return past_; }

 private:
  struct Entry {
    Alarm alarm;
    std::map<std::string, int> good;  ///< rounds in a row, by group
    int silent = 0;
  };
  using Key = std::pair<std::string, std::string>;  ///< rule and subject

  std::map<Key, Entry> entries_;
  std::deque<Alarm> past_;
  std::uint64_t next_id_ = 1;
};

}  // namespace sojourn
