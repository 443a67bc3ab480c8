#include "alarm/alarm_round.h"

#include <algorithm>
#include <array>

#include "naming/stored_group.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration week = 24h * 7;
/// Reports come every 10 s; younger data is incomplete.
constexpr Duration lateness = 20s;

std::string group_text(const AnswerRow& row) {
  std::string text;
  if (row.measure < kind_count) text = leg_names[row.leg];
  if (row.prefix) text += (text.empty() ? "" : " ") + group_name(*row.prefix);
  return text;
}

Result<Answer> ask_window(Store& store, Timestamp from, Timestamp to, bool prefixes) {
  Question question;
  question.from = from;
  question.to = to;
  if (prefixes) question.by = GroupBy::stored;
  question.columns = 1;
  return ask(store, question);
}

}  // namespace

double significance_of(const AlarmOptions& options, std::size_t judgements) {
  const double rounds =
      std::chrono::duration<double>(week) / std::chrono::duration<double>(options.every);
  return options.false_alarms_per_week / rounds /
         static_cast<double>(std::max<std::size_t>(1, judgements));
}

bool AlarmRounds::is_excepted(const std::optional<Prefix>& prefix) const {
  return prefix && std::ranges::any_of(options_.except, [&](const Prefix& except) {
           return belongs_to(*prefix, except);
         });
}

Timestamp usual_begin(Timestamp from, Timestamp to) {
  const Timestamp middle = from + difference(to, from) / 2;
  return slice_of(middle - usual_span / 2 + usual_step / 2, usual_step);
}

/// The same time in the weeks before, read once in ten minutes.
Result<void> AlarmRounds::learn_usual(Store& store, Timestamp begin) {
  if (usual_begin_ == begin) return {};
  std::map<SeriesKey, Distribution> sums;
  for (int back = 1; back <= options_.weeks; ++back) {
    const Timestamp then = begin - back * week;
    const auto answer = ask_window(store, then, then + usual_span, true);
    if (!answer) return std::unexpected(answer.error());
    for (const AnswerSubject& subject : answer->subjects)
      for (const AnswerRow& row : subject.rows)
        sums[{subject.name, row.measure, row.leg, group_text(row)}].merge(row.delays);
  }
  usual_.clear();
  for (const auto& [key, delays] : sums) usual_.emplace(key, delays.snapshot(std::array{0.5}));
  usual_begin_ = begin;
  return {};
}

Result<std::vector<AlarmFinding>> AlarmRounds::look(Store& store, Timestamp now) {
  const Timestamp end = slice_of(now - lateness, finest_slice) + finest_slice;
  const auto about_usual = [](const AlarmRule& rule) { return rule.about_usual(); };
  if (std::ranges::any_of(options_.rules, about_usual))
    if (auto learned = learn_usual(store, usual_begin(end - options_.window, end)); !learned)
      return std::unexpected(learned.error());
  const bool prefixes = std::ranges::any_of(options_.rules, &AlarmRule::each_group);
  const auto answer = ask_window(store, end - options_.window, end, prefixes);
  if (!answer) return std::unexpected(answer.error());

  struct Case {
    const AlarmRule* rule;
    const AnswerRow* row;
  };
  std::vector<Case> cases;
  for (const AlarmRule& rule : options_.rules)
    for (const AnswerSubject& subject : answer->subjects) {
      std::size_t groups = 0;
      for (const AnswerRow& row : subject.rows)
        if (row.measure == rule.measure() && rule.is_about(row.leg) &&
            row.prefix.has_value() == rule.each_group() && !is_excepted(row.prefix) &&
            groups++ < options_.most_groups)
          cases.push_back({&rule, &row});
    }
  const double significance = significance_of(options_, cases.size());
  std::vector<AlarmFinding> findings;
  for (const auto& [rule, row] : cases) {
    const auto usual = usual_.find({row->subject, row->measure, row->leg, group_text(*row)});
    findings.push_back({rule->text(), row->subject, group_text(*row),
                        rule->judge(row->delays, usual == usual_.end() ? nullptr : &usual->second,
                                    significance, options_.tolerance)});
  }
  return findings;
}

}  // namespace sojourn
