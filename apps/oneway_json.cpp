#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/oneway_csv.h"
#include "apps/oneway_methods.h"
#include "apps/oneway_report.h"

namespace sojourn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array quantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json ns_or_null(const std::optional<Timestamp>& time) {
  return time ? Json(to_ns(*time)) : Json(nullptr);
}
Json ns_or_null(const std::optional<Duration>& duration) {
  return duration ? Json(to_ns(*duration)) : Json(nullptr);
}

Json point_object(const PointReport& point) {
  Json skipped = Json::object();
  for (const auto& [reason, count] : point.skipped) skipped[reason] = count;
  return {{"file", point.name},
          {"packets", point.captured},
          {"ip_packets", point.input.packets},
          {"first_ns", ns_or_null(point.input.first)},
          {"last_ns", ns_or_null(point.input.last)},
          {"skipped", std::move(skipped)}};
}

void describe(Json& object, const Distribution& delays) {
  object["samples"] = delays.count();
  object["mean_ns"] = ns_or_null(delays.mean());
  object["min_ns"] = ns_or_null(delays.min());
  object["max_ns"] = ns_or_null(delays.max());
  object["relative_error"] = delays.relative_error();
  object["quantiles"] = Json::array();
  const auto estimates = delays.estimates(quantiles);
  for (std::size_t i = 0; i < estimates.size(); ++i)
    object["quantiles"].push_back({{"q", quantiles[i]},
                                   {"delay_ns", to_ns(estimates[i].delay)},
                                   {"low_ns", to_ns(estimates[i].interval.low)},
                                   {"high_ns", to_ns(estimates[i].interval.high)},
                                   {"bounded", estimates[i].interval.bounded()}});
}

Json flow_object(const FlowDelay& flow) {
  return {{"protocol", protocol_name(flow.key.protocol)},
          {"source", flow.key.source.to_string()},
          {"source_port", flow.key.source_port},
          {"destination", flow.key.destination.to_string()},
          {"destination_port", flow.key.destination_port},
          {"packets", flow.packets},
          {"delay_mean_ns", or_null(flow.mean_ns)},
          {"delay_stddev_ns", or_null(flow.stddev_ns)},
          {"delay_min_ns", or_null(flow.min_ns)},
          {"delay_max_ns", or_null(flow.max_ns)},
          {"lost", or_null(flow.lost)},
          {"delay_margin_ns", or_null(flow.margin_ns)}};
}

Json clock_object(const OnewayReport& report) {
  const ClockReport& clock = report.clock;
  Json object{{"error_ns", ns_or_null(report.request->clock_error)},
              {"offset_removed_ns", to_ns(report.request->clock_offset)},
              {"skew_corrected", clock.corrected},
              {"skew_ppm", nullptr},
              {"skew_significant", nullptr},
              {"drift_ns", nullptr},
              {"offset_low_ns", nullptr},
              {"offset_high_ns", nullptr}};
  if (clock.skew) {
    object["skew_ppm"] = clock.skew->ppm();
    object["skew_significant"] = clock.skew->significant();
    object["drift_ns"] = std::llround(clock.skew->drift_ns);
  }
  if (clock.offset) {
    object["offset_low_ns"] = to_ns(clock.offset->low);
    object["offset_high_ns"] = to_ns(clock.offset->high);
  }
  return object;
}

Json loss_object(const OnewayResult& result) {
  Json object{{"sent", or_null(result.sent)}, {"lost", or_null(result.lost)}, {"rate", nullptr}};
  if (result.sent && result.lost && *result.sent > 0)
    object["rate"] = static_cast<double>(*result.lost) / static_cast<double>(*result.sent);
  return object;
}

Json total_object(const std::optional<TotalDelay>& total) {
  if (!total) return nullptr;
  return {{"packets", total->packets},
          {"mean_ns", total->mean_ns},
          {"stddev_ns", or_null(total->stddev_ns)},
          {"min_ns", or_null(total->min_ns)},
          {"max_ns", or_null(total->max_ns)}};
}

Json rows_of(const ResultTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i)
      object[table.columns[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::string oneway_json(const OnewayReport& report) {
  const OnewayRequest& request = *report.request;
  Json json;
  json["input"] = {{"first", point_object(report.points[0])},
                   {"last", point_object(report.points[1])}};
  json["method"] = {{"name", request.method->name},
                    {"window_ns", to_ns(request.options.window)},
                    {"sampling", request.options.sampling},
                    {"memory_bytes", report.result.memory_bytes},
                    {"seed", request.options.seed}};
  json["delay"] = total_object(report.result.total);
  json[request.method->samples_packets ? "packet_delays" : "flow_mean_delays"] = Json::object();
  describe(json[request.method->samples_packets ? "packet_delays" : "flow_mean_delays"],
           *report.delays);
  json["loss"] = loss_object(report.result);
  json["counters"] = Json::object();
  for (const auto& [name, count] : report.result.counters) json["counters"][name] = count;
  json["clock"] = clock_object(report);
  json["flow_count"] = report.result.flows.size();
  json["slowest_flows"] = Json::array();
  for (const FlowDelay* flow : report.slowest_flows())
    json["slowest_flows"].push_back(flow_object(*flow));
  if (request.grouping) {
    json["groups"] = Json::array();
    for (const GroupReport& group : report.groups) {
      Json object{{"group", group.label}, {"sent", group.sent}, {"lost", group.lost}};
      describe(object, *group.delays);
      json["groups"].push_back(std::move(object));
    }
  }
  for (const ResultTable& table : report.result.tables) json["tables"][table.name] = rows_of(table);
  json["notes"] = report.result.notes;
  json["warnings"] = report.warnings;
  return json.dump(2) + "\n";
}

}  // namespace sojourn
