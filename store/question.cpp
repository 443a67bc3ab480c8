#include "store/question.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "naming/stored_group.h"

namespace sojourn {
namespace {

/// Weight and mean of the delays in one column of time.
struct ColumnSums {
  double weight = 0, delay = 0;
};

struct RowSums {
  Distribution delays;
  std::vector<ColumnSums> course;
};

struct RowKey {
  std::uint8_t leg;
  bool all;       ///< no prefix; not an optional, for which g++ 12 gives a false warning
  Prefix prefix;  ///< length 0 in that case
  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

void add_to_course(RowSums& row, const Question& question, Timestamp slice, Duration length,
                   const CellBlock& block) {
  row.course.resize(question.columns);
  const double span = static_cast<double>((question.to - question.from).count());
  const double middle = static_cast<double>((slice + length / 2 - question.from).count()) / span;
  const auto column = static_cast<std::size_t>(std::clamp(middle, 0.0, 0.999999) *
                                               static_cast<double>(question.columns));
  for (const HistogramCell& cell : block.cells) {
    const double delay = static_cast<double>(LogBuckets::lowest(cell.bin)) / 2 +
                         static_cast<double>(LogBuckets::highest(cell.bin)) / 2;
    row.course[column].weight += cell.weight;
    row.course[column].delay += cell.weight * delay;
  }
}

std::optional<Prefix> group_of(const Question& question, const CellSeries& series) {
  if (series.prefix_length == 0) return std::nullopt;
  const Prefix kept{series.prefix, series.prefix_length};
  const StoredGroup stored{kept};
  switch (question.by) {
    case GroupBy::stored:
      return kept;
    case GroupBy::port:
      return stored.port ? std::optional{group_of_port(*stored.port)} : std::nullopt;
    case GroupBy::flow:
      return stored.kind == StoredGroup::Kind::flow ? std::optional{kept} : std::nullopt;
    case GroupBy::prefix:
      break;
  }
  if (!question.prefix_length || !stored.responder) return std::nullopt;
  // The requested length is for IPv4: it is doubled for IPv6.
  const bool v4 = stored.responder->network().version() == IpVersion::v4;
  const std::size_t length =
      std::min((v4 ? 1 : 2) * *question.prefix_length, stored.responder->length());
  return Prefix{stored.responder->network(), length};
}

bool is_left_out(const Question& question, const CellSeries& series) {
  return question.within &&
         !belongs_to(Prefix{series.prefix, series.prefix_length}, *question.within);
}

RowKey key_of(std::uint8_t leg, const std::optional<Prefix>& prefix) {
  return {leg, !prefix, prefix.value_or(Prefix{IpAddress{}, 0})};
}

/// All traffic of a leg is the sum of its prefixes, so each cell is added once.
void add_totals(std::map<RowKey, RowSums>& rows, std::size_t columns) {
  std::map<std::uint8_t, RowSums> totals;
  for (const auto& [key, sums] : rows) {
    RowSums& total = totals[key.leg];
    total.delays.merge(sums.delays);
    total.course.resize(columns);
    for (std::size_t i = 0; i < sums.course.size(); ++i) {
      total.course[i].weight += sums.course[i].weight;
      total.course[i].delay += sums.course[i].delay;
    }
  }
  for (auto& [leg, total] : totals) rows[key_of(leg, std::nullopt)] = std::move(total);
}

Result<void> add_rows(Store& store, const Question& question, const std::string& name,
                      std::uint8_t measure, AnswerSubject& answer) {
  // Slices short enough that each falls into one column.
  const Duration longest = std::max<Duration>(
      finest_slice, (question.to - question.from) / static_cast<std::int64_t>(question.columns));
  std::map<RowKey, RowSums> rows;
  const auto done =
      store.read({name, measure, question.from, question.to, longest},
                 [&](const CellSeries& series, Duration length, const CellBlock& block) {
                   if (is_left_out(question, series)) return;
                   RowSums& row = rows[key_of(series.leg, group_of(question, series))];
                   block.add_to(row.delays);
                   add_to_course(row, question, series.slice, length, block);
                 });
  if (!done) return done;
  add_totals(rows, question.columns);
  const std::size_t first = answer.rows.size();
  for (auto& [key, sums] : rows) {
    AnswerRow row;
    row.subject = name;
    row.measure = measure;
    row.leg = key.leg;
    if (!key.all) row.prefix = key.prefix;
    row.delays = std::move(sums.delays);
    for (const ColumnSums& column : sums.course)
      row.course.push_back(column.weight > 0
                               ? std::optional{Duration{std::llround(column.delay / column.weight)}}
                               : std::nullopt);
    answer.rows.push_back(std::move(row));
  }
  std::stable_sort(answer.rows.begin() + static_cast<std::ptrdiff_t>(first), answer.rows.end(),
                   [](const AnswerRow& a, const AnswerRow& b) {
                     if (a.leg != b.leg) return a.leg < b.leg;
                     if (a.prefix.has_value() != b.prefix.has_value()) return !a.prefix;
                     return a.delays.total_weight() > b.delays.total_weight();
                   });
  return {};
}

Result<void> add_losses(Store& store, const Question& question, Timestamp judged_until,
                        AnswerSubject& answer) {
  std::map<std::optional<Prefix>, LossSums> sums;
  const Timestamp to = std::min(question.to, judged_until);
  if (to <= question.from) return {};
  const auto done =
      store.read({answer.name, number_of(Measure::loss), question.from, to, Duration::max()},
                 [&](const CellSeries& series, Duration, const CellBlock& block) {
                   if (is_left_out(question, series)) return;
                   sums[std::nullopt].add(block);
                   if (const auto group = group_of(question, series)) sums[group].add(block);
                 });
  if (!done) return done;
  for (AnswerRow& row : answer.rows)
    if (const auto found = sums.find(row.prefix); found != sums.end())
      row.loss = loss_estimate(found->second);
  return {};
}

}  // namespace

Result<Answer> ask(Store& store, const Question& question) {
  Answer answer;
  answer.from = question.from;
  answer.to = question.to;
  const auto age = store.age();
  if (!age) return std::unexpected(age.error());
  answer.age = *age;
  const auto subjects = store.subjects();
  if (!subjects) return std::unexpected(subjects.error());
  for (const std::string& wanted : question.subjects)
    if (std::ranges::find(*subjects, wanted, &SubjectSummary::name) == subjects->end()) {
      std::string names;
      for (const SubjectSummary& known : *subjects) names += " " + known.name;
      return failure("the store knows nothing of " + wanted +
                     (names.empty() ? "; it is empty" : "; it has" + names));
    }
  for (const SubjectSummary& subject : *subjects) {
    if (!question.subjects.empty() &&
        std::ranges::find(question.subjects, subject.name) == question.subjects.end())
      continue;
    AnswerSubject& part = answer.subjects.emplace_back();
    part.name = subject.name;
    for (const std::uint8_t measure : subject.measures) {
      if (measure == number_of(Measure::loss)) continue;
      if (auto done = add_rows(store, question, subject.name, measure, part); !done)
        return std::unexpected(done.error());
    }
    if (question.loss && age->judged_until)
      if (auto done = add_losses(store, question, *age->judged_until, part); !done)
        return std::unexpected(done.error());
    const auto newest = store.newest(subject.name);
    if (!newest) return std::unexpected(newest.error());
    part.newest = *newest;
    const auto clock =
        store.clock(subject.name, slice_of(question.from, std::chrono::minutes{10}), question.to);
    if (!clock) return std::unexpected(clock.error());
    part.clock = *clock;
  }
  return answer;
}

}  // namespace sojourn
