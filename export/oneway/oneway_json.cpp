#include <algorithm>
#include <array>
#include <cmath>

#include "core/parse.h"
#include "export/json_values.h"
#include "export/oneway/note_options.h"
#include "export/oneway/oneway_report.h"

namespace sojourn {
namespace {

constexpr std::array quantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};

Json point_object(const CaptureReport& point, const PointInput& input) {
  Json skipped = Json::object();
  for (const auto& [reason, count] : point.skipped) skipped[reason] = count;
  return {{"file", point.name},
          {"packets", point.captured},
          {"ip_packets", input.packets},
          {"first_ns", ns_or_null(input.first)},
          {"last_ns", ns_or_null(input.last)},
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
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Interval& interval = estimates[i].interval;
    object["quantiles"].push_back({{"q", quantiles[i]},
                                   {"delay_ns", to_ns(estimates[i].delay)},
                                   {"low_ns", interval_end(interval.low, interval.bounded_below)},
                                   {"high_ns", interval_end(interval.high, interval.bounded_above)},
                                   {"bounded", interval.bounded()}});
  }
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
          {"delay_margin_ns", or_null(flow.margin_ns)},
          {"direction", name_of(flow.direction)}};
}

Json clock_object(const OnewayReport& report) {
  const OnewayClocks& clock = report.measured->clocks;
  Json object{{"error_ns", ns_or_null(report.clock_error)},
              {"offset_removed_ns", to_ns(report.clock_offset)},
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

Json loss_object(const std::optional<std::uint64_t>& sent,
                 const std::optional<std::uint64_t>& lost) {
  Json object{{"sent", or_null(sent)}, {"lost", or_null(lost)}, {"rate", nullptr}};
  if (sent && lost && *sent > 0)
    object["rate"] = static_cast<double>(*lost) / static_cast<double>(*sent);
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

/// `delay`, its distribution and `loss` as for forward packets, for both directions.
Json directions_of(const OnewayMeasurement& measured, bool of_packets) {
  Json directions = Json::array();
  for (const DirectionResult& row : measured.result.directions) {
    Json object{{"direction", name_of(row.direction)},
                {"flows", row.flows},
                {"delay", total_object(row.total)},
                {"loss", loss_object(row.sent, row.lost)}};
    const char* const name = of_packets ? "packet_delays" : "flow_mean_delays";
    object[name] = Json::object();
    describe(object[name],
             row.direction == Direction::forward ? measured.delays : measured.backward);
    directions.push_back(std::move(object));
  }
  return directions;
}

Json rows_of(const ResultTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i)
      object[table.columns[i]] = cell_value(row[i]);
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::string oneway_json(const OnewayReport& report) {
  const OnewayMeasurement& measured = *report.measured;
  Json json;
  json["input"] = {{"first", point_object(report.points[0], measured.inputs[0])},
                   {"last", point_object(report.points[1], measured.inputs[1])}};
  json["method"] = {{"name", report.method->name},
                    {"window_ns", to_ns(report.options.window)},
                    {"sampling", report.options.sampling},
                    {"memory_bytes", measured.result.memory_bytes},
                    {"seed", report.options.seed}};
  json["delay"] = total_object(measured.result.total);
  json[report.method->samples_packets ? "packet_delays" : "flow_mean_delays"] = Json::object();
  describe(json[report.method->samples_packets ? "packet_delays" : "flow_mean_delays"],
           measured.delays);
  json["loss"] = loss_object(measured.result.sent, measured.result.lost);
  if (!measured.result.directions.empty())
    json["directions"] = directions_of(measured, report.method->samples_packets);
  json["counters"] = Json::object();
  for (const auto& [name, count] : measured.result.counters) json["counters"][name] = count;
  json["clock"] = clock_object(report);
  json["flow_count"] = measured.result.flows.size();
  json["slowest_flows"] = Json::array();
  for (const FlowDelay* flow : report.slowest_flows())
    json["slowest_flows"].push_back(flow_object(*flow));
  if (!report.grouping.empty()) {
    json["groups"] = Json::array();
    for (const GroupDelay& group : report.largest_groups()) {
      Json object{{"group", group.label}, {"sent", group.sent}, {"lost", group.lost}};
      describe(object, *group.delays);
      json["groups"].push_back(std::move(object));
    }
  }
  for (const ResultTable& table : measured.result.tables)
    json["tables"][table.name] = rows_of(table);
  json["notes"] = Json::array();
  for (const Note& note : measured.result.notes) json["notes"].push_back(with_options(note));
  for (const std::string& note : report.notes) json["notes"].push_back(note);
  json["warnings"] = report.warnings;
  return document_text(json);
}

}  // namespace sojourn
