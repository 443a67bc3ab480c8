// The groups behind a change: each prefix of a stretch of time, against an earlier stretch.

#include <algorithm>
#include <cmath>
#include <map>

#include "estimate/distribution/shift.h"
#include "naming/group_choice.h"
#include "naming/stored_group.h"
#include "store/question.h"
#include "web/api/api.h"
#include "web/api/api_values.h"

namespace sojourn::web {
namespace {

struct Group {
  std::optional<Prefix> prefix;
  const Distribution* now = nullptr;
  const Distribution* before = nullptr;
  std::optional<LossEstimate> loss;
  std::optional<ShiftTest> test;
};

/// A number that GroupChoice has.
Result<std::size_t> parse_groups(const QueryString& query) {
  constexpr std::int64_t longest = GroupChoice::longest;
  const auto length = whole_number(query, "length", 1, longest, 24);
  if (!length) return std::unexpected(length.error());
  const auto by = query.find("by").value_or("prefix");
  if (by == "prefix")
    return *length == longest ? GroupChoice::host : static_cast<std::size_t>(*length);
  if (const auto groups = GroupChoice::named(by)) return *groups;
  return failure("by must be prefix, host, port or flow");
}

Result<Answer> ask_about(Store& store, const Selector& selector, const Stretch& stretch,
                         std::size_t groups) {
  Question question;
  question.from = stretch.from;
  question.to = stretch.to;
  question.subjects = {selector.subject};
  question.group_by(groups);
  question.within = selector.prefix;
  question.loss = selector.measure == number_of(Measure::oneway);
  question.columns = 1;
  return ask(store, question);
}

bool wanted(const AnswerRow& row, const Selector& selector, std::uint8_t leg) {
  return row.measure == selector.measure && row.leg == leg;
}

/// The one with the most weight, unless one is named.
std::optional<std::uint8_t> leg_of(const Answer& answer, const Selector& selector) {
  if (selector.leg) return selector.leg;
  const AnswerRow* heaviest = nullptr;
  for (const AnswerSubject& subject : answer.subjects)
    for (const AnswerRow& row : subject.rows)
      if (row.measure == selector.measure && !row.prefix &&
          (!heaviest || row.delays.total_weight() > heaviest->delays.total_weight()))
        heaviest = &row;
  return heaviest ? std::optional{heaviest->leg} : std::nullopt;
}

void compare_groups(std::vector<Group>& groups) {
  for (Group& group : groups) {
    if (!group.now || !group.before || group.now->empty() || group.before->empty()) continue;
    const auto now = group.now->snapshot({}), before = group.before->snapshot({});
    if (enough_to_compare(now) && enough_to_compare(before))
      group.test = test_shift(before, now, tolerance);
  }
}

/// "same", "slower", ...; "new" without a past, "too-few" without a verdict.
std::string verdict_text(const Group& group, double significance) {
  if (!group.before || group.before->empty()) return "new";
  if (!group.test) return std::string{name_of(ShiftVerdict::too_few)};
  return std::string{name_of(verdict_of(*group.test, significance))};
}

double p95_of(const Distribution* delays) {
  const auto delay = delays ? delays->quantile(0.95) : std::nullopt;
  return delay ? static_cast<double>(to_ns(*delay)) : -1;
}

}  // namespace

Result<Json> groups_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (const auto name = query.stranger({"subject", "kind", "leg", "prefix", "from_s", "to_s",
                                        "before_s", "by", "length", "limit", "order"}))
    return failure("groups has no parameter '" + std::string{*name} + "'");
  const auto selector = Selector::parse(query);
  if (!selector) return std::unexpected(selector.error());
  const auto stretch = Stretch::parse(query, context.now);
  if (!stretch) return std::unexpected(stretch.error());
  const std::int64_t seconds = to_ns(stretch->to - stretch->from) / 1'000'000'000;
  const std::int64_t most = to_ns(Stretch::longest) / 1'000'000'000;
  // By default the same hours of the day before.
  const auto back =
      whole_number(query, "before_s", 1, most, std::max<std::int64_t>(86'400, seconds));
  const auto by = parse_groups(query);
  if (!by) return std::unexpected(by.error());
  const auto limit = whole_number(query, "limit", 1, 10'000, 100);
  for (const auto* number : {&back, &limit})
    if (!*number) return std::unexpected(number->error());
  const auto order = query.find("order").value_or("changed");
  if (order != "changed" && order != "worst" && order != "heaviest")
    return failure("order must be changed, worst or heaviest");
  const auto now = ask_about(store, *selector, *stretch, *by);
  if (!now) return std::unexpected(now.error());
  const Duration shift = std::chrono::seconds{*back};
  const Stretch earlier{stretch->from - shift, stretch->to - shift};
  const auto before = ask_about(store, *selector, earlier, *by);
  if (!before) return std::unexpected(before.error());

  const auto leg = leg_of(*now, *selector);
  std::map<std::optional<Prefix>, Group> found;
  for (const AnswerSubject& subject : now->subjects)
    for (const AnswerRow& row : subject.rows)
      if (leg && row.prefix && wanted(row, *selector, *leg))
        found[row.prefix] = {row.prefix, &row.delays, nullptr, row.loss, {}};
  for (const AnswerSubject& subject : before->subjects)
    for (const AnswerRow& row : subject.rows)
      if (const auto group = found.find(row.prefix);
          leg && group != found.end() && wanted(row, *selector, *leg))
        group->second.before = &row.delays;
  std::vector<Group> groups;
  for (auto& [prefix, group] : found) groups.push_back(std::move(group));
  compare_groups(groups);
  const auto compared = std::ranges::count_if(groups, [](const Group& g) { return !!g.test; });
  const double significance = compared > 0 ? false_alarm / static_cast<double>(compared) : 0;

  const auto changed_by = [&](const Group& group) {
    if (!group.test) return 2.0;
    return group.test->greater().p_value;
  };
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return a.now->total_weight() > b.now->total_weight();
  });
  if (order == "worst")
    std::ranges::stable_sort(
        groups, [](const Group& a, const Group& b) { return p95_of(a.now) > p95_of(b.now); });
  if (order == "changed")
    std::ranges::stable_sort(
        groups, [&](const Group& a, const Group& b) { return changed_by(a) < changed_by(b); });

  Json list = Json::array();
  for (const Group& group : groups) {
    if (list.size() >= static_cast<std::size_t>(*limit)) break;
    Json json = json_of(*group.now);
    json["prefix"] = group_name(*group.prefix);
    json["loss"] = group.loss ? json_of(*group.loss) : Json(nullptr);
    json["before"] =
        group.before && !group.before->empty() ? json_of(*group.before) : Json(nullptr);
    json["verdict"] = verdict_text(group, significance);
    json["p_value"] = group.test ? Json(group.test->greater().p_value) : Json(nullptr);
    list.push_back(std::move(json));
  }
  return Json{
      {"subject", selector->subject},
      {"kind", measure_name(selector->measure)},
      {"leg", !leg || selector->measure >= kind_count ? Json(nullptr) : Json(leg_names[*leg])},
      {"from_s", seconds_since_1970(stretch->from)},
      {"to_s", seconds_since_1970(stretch->to)},
      {"before_from_s", seconds_since_1970(earlier.from)},
      {"before_to_s", seconds_since_1970(earlier.to)},
      {"tolerance", tolerance},
      {"false_alarm", false_alarm},
      {"found", groups.size()},
      {"groups", list}};
}

}  // namespace sojourn::web
