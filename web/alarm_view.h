#pragma once
// Alarms as documents and as metrics.

#include <optional>
#include <string>
#include <vector>

#include "alarm/alarm_book.h"
#include "alarm/webhook.h"
#include "export/json_values.h"
#include "web/metrics/metric_family.h"

namespace sojourn::web {

Json alarm_json(const Alarm& alarm);
Json alarms_json(const std::vector<Alarm>& alarms);

/// {"event": "opened", "alarm": {...}}
std::string webhook_document(AlarmBook::Change change, const Alarm& alarm);

/// sojourn_alarm: how many groups are in each alarm that is open; sojourn_alarms_open: how many;
/// sojourn_webhook_total, if there is a webhook: what became of its messages.
std::vector<MetricFamily> alarm_metrics(const std::vector<Alarm>& alarms,
                                        const std::optional<WebhookCounts>& webhook);

}  // namespace sojourn::web
