#pragma once
// A collector's listener as metrics, and as a part of `health`.

#include <functional>
#include <vector>

#include "export/point/listener_report.h"
#include "web/metrics/metric_family.h"
#include "web/web_server.h"

namespace sojourn::web {

/// Every reason has its counter from the start, so that a scraper sees the first one as a rise.
std::vector<MetricFamily> listener_metrics(const ListenerFigures& figures);

/// Adds both to what a server shows.  Its threads call `figures`.
void show_listener(WebOptions& options, std::function<ListenerFigures()> figures);

}  // namespace sojourn::web
