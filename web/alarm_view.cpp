#include "web/alarm_view.h"

#include "web/api/selection.h"

namespace sojourn::web {

Json alarm_json(const Alarm& alarm) {
  const AlarmJudgement& worst = alarm.worst;
  Json groups = Json::array();
  for (const std::string& group : alarm.groups)
    if (!group.empty()) groups.push_back(group);
  const auto end = [&](bool bounded, Duration Interval::* which) {
    return worst.interval && bounded ? Json(to_ns((*worst.interval).*which)) : Json(nullptr);
  };
  return {{"id", alarm.id},
          {"rule", alarm.rule},
          {"subject", alarm.subject},
          {"groups", groups},
          {"since_s", seconds_since_1970(alarm.since)},
          {"until_s", alarm.until ? Json(seconds_since_1970(*alarm.until)) : Json(nullptr)},
          {"why", worst.why},
          {"value_ns", ns_or_null(worst.value)},
          {"low_ns", end(worst.interval && worst.interval->bounded_below, &Interval::low)},
          {"high_ns", end(worst.interval && worst.interval->bounded_above, &Interval::high)},
          {"bound_ns", ns_or_null(worst.bound)}};
}

Json alarms_json(const std::vector<Alarm>& alarms) {
  Json list = Json::array();
  for (const Alarm& alarm : alarms) list.push_back(alarm_json(alarm));
  return list;
}

std::string webhook_document(AlarmBook::Change change, const Alarm& alarm) {
  const Json document = {{"event", change == AlarmBook::Change::opened ? "opened" : "closed"},
                         {"alarm", alarm_json(alarm)}};
  return compact_text(document);
}

std::vector<MetricFamily> alarm_metrics(const std::vector<Alarm>& alarms,
                                        const std::optional<WebhookCounts>& webhook) {
  MetricFamily each{"sojourn_alarm", "Groups in an alarm that is open.", MetricType::gauge, {}};
  for (const Alarm& alarm : alarms)
    if (!alarm.until)
      each.metrics.push_back({{{"rule", alarm.rule}, {"subject", alarm.subject}},
                              static_cast<double>(alarm.groups.size())});
  const double open = static_cast<double>(each.metrics.size());
  std::vector<MetricFamily> families = {
      each, {"sojourn_alarms_open", "Alarms that are open.", MetricType::gauge, {{{}, open}}}};
  if (!webhook) return families;
  const auto delivered = static_cast<double>(webhook->delivered);
  const auto thrown_away = static_cast<double>(webhook->thrown_away);
  families.push_back(
      {"sojourn_webhook_total",
       "Messages of the webhook, by what became of them.",
       MetricType::counter,
       {{{{"outcome", "delivered"}}, delivered}, {{{"outcome", "thrown_away"}}, thrown_away}}});
  return families;
}

}  // namespace sojourn::web
