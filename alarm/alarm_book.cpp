#include "alarm/alarm_book.h"

#include <algorithm>

namespace sojourn {

std::vector<std::pair<AlarmBook::Change, Alarm>> AlarmBook::take(
    Timestamp now, const std::vector<AlarmFinding>& findings) {
  std::vector<Key> opened;
  std::set<Key> heard;
  for (const AlarmFinding& finding : findings) {
    const Key key{finding.rule, finding.subject};
    const AlarmJudgement& judgement = finding.judgement;
    auto found = entries_.find(key);
    if (judgement.state == AlarmState::bad) {
      if (found == entries_.end()) {
        found = entries_.emplace(key, Entry{}).first;
        found->second.alarm = {next_id_++, finding.rule, finding.subject, {}, now, {}, judgement};
        opened.push_back(key);
      }
      Entry& entry = found->second;
      entry.alarm.groups.insert(finding.group);
      entry.good[finding.group] = 0;
      if (judgement.value > entry.alarm.worst.value) entry.alarm.worst = judgement;
    }
    if (found == entries_.end() || !found->second.alarm.groups.contains(finding.group)) continue;
    if (judgement.state != AlarmState::unclear) heard.insert(key);
    if (judgement.state == AlarmState::good) ++found->second.good[finding.group];
    if (judgement.state == AlarmState::unclear && judgement.value)
      found->second.good[finding.group] = 0;
  }
  std::vector<std::pair<Change, Alarm>> changes;
  for (const Key& key : opened) changes.emplace_back(Change::opened, entries_.at(key).alarm);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    auto& [key, state] = *entry;
    state.silent = heard.contains(key) ? 0 : state.silent + 1;
    const bool is_calm =
        std::ranges::all_of(state.good, [](const auto& group) { return group.second >= calm; });
    if (!is_calm && state.silent < silence) {
      ++entry;
      continue;
    }
    state.alarm.until = now;
    changes.emplace_back(Change::closed, state.alarm);
    past_.push_front(state.alarm);
    if (past_.size() > most_past) past_.pop_back();
    entry = entries_.erase(entry);
  }
  return changes;
}

std::vector<Alarm> AlarmBook::open() const {
  std::vector<Alarm> all;
  for (const auto& [key, entry] : entries_) all.push_back(entry.alarm);
  std::ranges::sort(all, {}, &Alarm::id);
  return all;
}

}  // namespace sojourn
