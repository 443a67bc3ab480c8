#include "web/listener_view.h"

#include <iterator>
#include <string>
#include <utility>

namespace sojourn::web {
namespace {

MetricFamily by_reason(const char* name, const char* help, const CountsByReason& counts) {
  MetricFamily family{name, help, MetricType::counter, {}};
  for (const auto& [reason, count] : counts)
    family.metrics.push_back({{{"reason", std::string{reason}}}, static_cast<double>(count)});
  return family;
}

MetricFamily alone(const char* name, const char* help, MetricType type, std::uint64_t value) {
  return {name, help, type, {{{}, static_cast<double>(value)}}};
}

}  // namespace

std::vector<MetricFamily> listener_metrics(const ListenerFigures& figures) {
  const auto& counters = figures.counters;
  return {alone("sojourn_listener_open_connections", "Connections that are open.",
                MetricType::gauge, figures.open_connections),
          alone("sojourn_listener_connections_total", "Connections that were accepted.",
                MetricType::counter, counters.connections),
          alone("sojourn_listener_messages_total", "IPFIX messages that were received.",
                MetricType::counter, counters.messages),
          by_reason("sojourn_listener_closed_total",
                    "Connections that were refused or that the collector closed, by the reason.",
                    closed_connections(counters)),
          by_reason("sojourn_listener_trouble_total",
                    "Messages, sets, templates and records that could not be read, by the reason.",
                    unreadable_parts(counters))};
}

void show_listener(WebOptions& options, std::function<ListenerFigures()> figures) {
  options.process = [figures, others = options.process] {
    Json json = others();
    json["listener"] = listener_json(figures());
    return json;
  };
  options.more_metrics = [figures = std::move(figures), others = options.more_metrics] {
    auto families = others();
    auto ours = listener_metrics(figures());
    families.insert(families.end(), std::make_move_iterator(ours.begin()),
                    std::make_move_iterator(ours.end()));
    return families;
  };
}

}  // namespace sojourn::web
