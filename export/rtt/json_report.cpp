#include "export/rtt/json_report.h"

#include <algorithm>

#include "estimate/estimates_of.h"
#include "export/json_values.h"
#include "export/rtt/heatmap_grid.h"
#include "export/rtt/input_text.h"
#include "export/rtt/report_groups.h"

namespace sojourn {
namespace {

Json counts(const std::vector<NamedCount>& named) {
  Json object = Json::object();
  for (const auto& [name, count] : named) object[name] = count;
  return object;
}

/// The ends of an interval; null if the value is unbounded, and why.
void add_interval(Json& object, const Interval& interval) {
  object["low_ns"] = interval_end(interval.low, interval.bounded_below);
  object["high_ns"] = interval_end(interval.high, interval.bounded_above);
  object["bounded"] = interval.bounded();
  object["unbounded_because"] = nullptr;
  if (interval.why == Unbounded::too_few_samples) object["unbounded_because"] = "too-few-samples";
  if (interval.why == Unbounded::too_few_flows) object["unbounded_because"] = "too-few-flows";
}

/// Common fields of every distribution.
void describe(Json& object, const Distribution& distribution, const std::vector<double>& qs,
              const std::vector<QuantileEstimate>& estimates) {
  object["samples"] = distribution.count();
  object["estimated_total"] = number_or_null(distribution.total_weight());
  object["effective_samples"] = number_or_null(distribution.effective_samples());
  const FlowCount flows = distribution.flows();
  object["flows"] = number_or_null(flows.flows);
  object["flows_or_more"] = flows.or_more;
  object["mean_ns"] = ns_or_null(distribution.mean());
  object["min_ns"] = ns_or_null(distribution.min());
  object["max_ns"] = ns_or_null(distribution.max());
  object["relative_error"] = number_or_null(distribution.relative_error());
  object["quantiles"] = Json::array();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    Json quantile{{"q", qs[i]}, {"delay_ns", to_ns(estimates[i].delay)}};
    add_interval(quantile, estimates[i].interval);
    object["quantiles"].push_back(std::move(quantile));
  }
}

void describe(Json& object, const Distribution& distribution, const std::vector<double>& qs) {
  describe(object, distribution, qs, distribution.estimates(qs));
}

Json input_object(const InputSummary& input) {
  std::vector<std::string> warnings = input_losses(input);
  warnings.insert(warnings.end(), input.warnings.begin(), input.warnings.end());
  return {{"files", input.files},
          {"packets", input.packets},
          {"bytes", input.bytes},
          {"first_ns", ns_or_null(input.first)},
          {"last_ns", ns_or_null(input.last)},
          {"skipped", counts(input.skipped)},
          {"warnings", warnings}};
}

Json table_object(const TableSummary& table) {
  Json object{{"name", table.name},
              {"memory_bytes", table.memory_bytes},
              {"connection_bytes", table.connection_bytes},
              {"seed", table.seed}};
  if (table.limit_bytes > 0) object["limit_bytes"] = table.limit_bytes;
  for (const auto& [name, count] : table.counters) object[name] = count;
  return object;
}

Json engine_object(const EngineSummary& engine) {
  Json object{{"name", engine.name},
              {"how", engine.how},
              {"why", engine.why.empty() ? Json(nullptr) : Json(engine.why)},
              {"packets", engine.packets},
              {"missed", engine.missed},
              {"missed_what", name_of(engine.missed_what)},
              {"kernel_bytes", engine.kernel_bytes},
              {"process_bytes", engine.process_bytes}};
  if (engine.cost_ns) object["program_ns_per_packet"] = *engine.cost_ns;
  if (engine.entry_probability) {
    object["requests"] = engine.asked;
    object["requests_turned_away"] = engine.turned_away;
    object["entry_probability"] = *engine.entry_probability;
  }
  return object;
}

Json left_out_object(const LeftOutCounters& left_out) {
  Json object{{"total", left_out.total()}};
  for (std::size_t i = 0; i < LeftOutCounters::size; ++i)
    object[std::string{left_out_names[i]}] = left_out[static_cast<LeftOut>(i)];
  return object;
}

Json kind_object(const RttReport& report, Kind kind) {
  const Measurement& measurement = *report.measurement;
  const KindCounters& counters = measurement.counters(kind);
  Json object{{"requests", counters.requests},
              {"ambiguous", counters.ambiguous},
              {"unmatched_requests", measurement.unmatched_requests(kind)},
              {"left_out", left_out_object(counters.left_out)},
              {"estimated_ambiguous", counters.estimated_ambiguous},
              {"estimated_unanswered", measurement.estimated_unanswered(kind)}};
  if (report.interval)
    object["unmatched_requests"] = object["estimated_unanswered"] = nullptr;  // answers may follow
  if (kind == Kind::tcp || kind == Kind::tcp_ts || kind == Kind::response)
    object["guessed_legs"] = counters.guessed_legs;
  if (kind == Kind::response || kind == Kind::tls)
    for (std::size_t i = 0; i < UnclearCounters::size; ++i)
      object["ambiguous_because"][std::string{unclear_names[i]}] =
          counters.unclear[static_cast<Unclear>(i)];
  if (kind == Kind::tcp) {
    object["super_packets"] = counters.super_packets;
    object["super_packets_left_out"] = counters.super_packets_left_out;
  }
  std::vector<Leg> legs;
  std::vector<const Distribution*> distributions = {&measurement.pooled(kind)};
  for (std::size_t i = 0; i < leg_count; ++i) {
    const Leg leg = static_cast<Leg>(i);
    if (measurement.leg(kind, leg).empty()) continue;
    legs.push_back(leg);
    distributions.push_back(&measurement.leg(kind, leg));
  }
  const auto estimates = estimates_of(distributions, report.quantiles, report.threads);
  describe(object, *distributions[0], report.quantiles, estimates[0]);
  object["legs"] = Json::object();
  for (std::size_t i = 0; i < legs.size(); ++i)
    describe(object["legs"][std::string{name_of(legs[i])}], *distributions[i + 1], report.quantiles,
             estimates[i + 1]);
  return object;
}

Json groups_array(const RttReport& report) {
  Json array = Json::array();
  for (const auto& group : report_groups(report)) {
    Json object{{"group", group.label}, {"kind", name_of(group.kind)}, {"leg", name_of(group.leg)}};
    describe(object, *group.distribution, report.quantiles);
    array.push_back(std::move(object));
  }
  return array;
}

Json windows_array(const RttReport& report) {
  Json array = Json::array();
  for (const auto& row : report.measurement->window_rows()) {
    Json object{{"start_ns", to_ns(row.start)},
                {"length_ns", to_ns(*report.measurement->window())},
                {"kind", name_of(row.kind)},
                {"leg", name_of(row.leg)}};
    describe(object, *row.distribution, report.quantiles);
    array.push_back(std::move(object));
  }
  return array;
}

/// From 0 to 1; null with too few flows to bound it.
void add_share(Json& object, const ShareEstimate& share) {
  object["share"] = share.whole > 0 ? Json(share.value) : Json(nullptr);
  object["share_low"] = share.bounded ? Json(share.low) : Json(nullptr);
  object["share_high"] = share.bounded ? Json(share.high) : Json(nullptr);
}

/// Only non-empty cells: [column, row, weight].
Json heatmap_object(const RttReport& report) {
  const DelayHeatmap& heatmap = *report.measurement->heatmap();
  Json object{
      {"start_ns", heatmap.columns() > 0 ? Json(to_ns(heatmap.start_of(0))) : Json(nullptr)},
      {"column_ns", to_ns(heatmap.length())},
      {"columns", heatmap.columns()},
      {"row_lowest_ns", Json::array()},
      {"panels", Json::array()}};
  for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
    object["row_lowest_ns"].push_back(to_ns(DelayHeatmap::lowest(row)));
  for (const HeatmapPanel& panel : heatmap_panels(*report.measurement, report.kinds, true)) {
    Json cells = Json::array(), requests = Json::array(), answered = Json::array();
    for (std::size_t column = 0; column < heatmap.columns(); ++column) {
      requests.push_back(heatmap.requests(column, panel.kind));
      answered.push_back(heatmap.answered(column, panel.kind));
      for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
        if (const double weight = heatmap.weight(column, row, panel.kind, panel.leg); weight > 0)
          cells.push_back({column, row, weight});
    }
    object["panels"].push_back({{"kind", name_of(panel.kind)},
                                {"leg", name_of(panel.leg)},
                                {"requests", requests},
                                {"answered", answered},
                                {"cells", cells}});
  }
  return object;
}

Json loss_row(const LossCounts& counts) {
  Json object = Json::object();
  for (std::size_t i = 0; i < loss_sign_count; ++i) {
    const LossSign sign = static_cast<LossSign>(i);
    std::string name{name_of(sign)};
    std::ranges::replace(name, '-', '_');
    if (sign == LossSign::segment || sign == LossSign::packet) {
      object[name] = counts.weight(sign);
      continue;
    }
    object[name] = {{"count", counts.weight(sign)}};
    add_share(object[name], counts.share(sign));
  }
  return object;
}

/// By group and slice; unknown for an interval in progress.
Json unanswered_object(const RttReport& report) {
  if (report.interval) return nullptr;
  Json object{{"groups", Json::array()},
              {"windows", Json::array()},
              {"requests_beyond_groups", report.loss->beyond_groups().requests},
              {"requests_beyond_windows", report.loss->beyond_slices().requests}};
  const auto row_object = [](const LossTally::RequestRow& row) {
    Json one{
        {"kind", name_of(row.kind)}, {"requests", row.requests}, {"count", row.unanswered.part}};
    add_share(one, row.unanswered);
    return one;
  };
  const bool by_share = report.sort == GroupOrder::lost;
  for (const auto& row : report.loss->request_groups(report.top, by_share)) {
    object["groups"].push_back(row_object(row));
    object["groups"].back()["group"] = row.label;
  }
  for (const auto& row : report.loss->request_slices()) {
    object["windows"].push_back(row_object(row));
    object["windows"].back()["start_ns"] = to_ns(row.start);
  }
  return object;
}

Json loss_object(const RttReport& report) {
  Json object{{"followed_share", report.loss_followed},
              {"legs", Json::object()},
              {"groups", Json::array()},
              {"windows", Json::array()},
              {"packets_beyond_groups", report.loss->beyond_groups().packets},
              {"packets_beyond_windows", report.loss->beyond_slices().packets}};
  for (std::size_t i = 0; i < leg_count; ++i)
    if (const auto& counts = report.loss->leg(static_cast<Leg>(i)); !counts.empty())
      object["legs"][std::string{leg_names[i]}] = loss_row(counts);
  if (report.loss->grouping())
    for (const auto& row : report.loss->groups(report.top, report.sort == GroupOrder::lost)) {
      Json one = loss_row(*row.counts);
      one["group"] = row.label;
      one["leg"] = name_of(row.leg);
      object["groups"].push_back(std::move(one));
    }
  for (const auto& row : report.loss->slices()) {
    Json one = loss_row(*row.counts);
    one["start_ns"] = to_ns(row.start);
    one["leg"] = name_of(row.leg);
    object["windows"].push_back(std::move(one));
  }
  object["unanswered"] = unanswered_object(report);
  return object;
}

Json changes_object(const GroupChanges& changes) {
  Json object{{"at_ns", ns_or_null(changes.at)},
              {"false_alarm", changes.options.false_alarm},
              {"tolerance", changes.options.tolerance},
              {"compared", changes.compared},
              {"groups_gone", changes.gone},
              {"groups_new", changes.fresh},
              {"groups", Json::array()}};
  const auto side = [](const GroupChange::Side& one) {
    return Json{
        {"samples", one.samples}, {"median_ns", to_ns(one.median)}, {"p95_ns", to_ns(one.p95)}};
  };
  for (const GroupChange& change : changes.shown)
    object["groups"].push_back({{"group", change.label},
                                {"kind", name_of(change.kind)},
                                {"leg", name_of(change.leg)},
                                {"verdict", name_of(change.verdict)},
                                {"p_value", change.p_value ? Json(*change.p_value) : Json(nullptr)},
                                {"before", side(change.before)},
                                {"after", side(change.after)}});
  return object;
}

Json sla_object(const SlaResult& result) {
  Json object{{"rule", result.rule},
              {"group", result.group ? Json(*result.group) : Json(nullptr)},
              {"leg", result.leg ? Json(name_of(*result.leg)) : Json(nullptr)},
              {"value_ns", ns_or_null(result.value)},
              {"ok", result.value || result.share ? Json(result.ok) : Json(nullptr)},
              {"verdict", name_of(result.verdict)},
              {"low_ns", nullptr},
              {"high_ns", nullptr},
              {"bounded", false},
              {"unbounded_because", nullptr}};
  if (result.interval) add_interval(object, *result.interval);
  if (result.share) {
    add_share(object, *result.share);
    object["bounded"] = result.share->bounded;
  }
  return object;
}

Json sla_array(const RttReport& report) {
  Json array = Json::array();
  for (const SlaResult& result : report.sla) array.push_back(sla_object(result));
  for (const SlaGroups& groups : report.sla_groups)
    for (const SlaResult& result : groups.shown) array.push_back(sla_object(result));
  return array;
}

Json sla_groups_array(const RttReport& report) {
  Json array = Json::array();
  for (const SlaGroups& groups : report.sla_groups)
    array.push_back({{"rule", groups.rule},
                     {"groups", groups.groups()},
                     {"met", groups.count(SlaVerdict::met)},
                     {"violated", groups.count(SlaVerdict::violated)},
                     {"undecided", groups.count(SlaVerdict::undecided)}});
  return array;
}

Json side_object(const ShiftTest::Side& side) {
  return {{"distance", side.distance}, {"at_ns", ns_or_null(side.at)}, {"p_value", side.p_value}};
}

Json expect_object(const ExpectResult& result) {
  Json object{{"kind", name_of(result.kind)},
              {"leg", name_of(result.leg)},
              {"verdict", name_of(result.verdict)},
              {"shifted", result.test ? Json(result.shifted()) : Json(nullptr)},
              {"slower", result.test ? side_object(result.test->slower) : Json(nullptr)},
              {"faster", result.test ? side_object(result.test->faster) : Json(nullptr)},
              {"samples", result.now.samples},
              {"independent_samples", number_or_null(result.now_independent)},
              {"expected_samples", result.expected.samples},
              {"expected_independent_samples", number_or_null(result.expected_independent)},
              {"quantiles", Json::array()}};
  for (const double q : expectation_quantiles)
    object["quantiles"].push_back({{"q", q},
                                   {"delay_ns", ns_or_null(result.now.quantile(q))},
                                   {"expected_ns", ns_or_null(result.expected.quantile(q))}});
  return object;
}

Json expectation_object(const ExpectSummary& expect) {
  const ExpectComparison& comparison = expect.comparison;
  return {{"file", expect.file},
          {"first_ns", ns_or_null(expect.first)},
          {"last_ns", ns_or_null(expect.last)},
          {"false_alarm", comparison.options.false_alarm},
          {"tolerance", comparison.options.tolerance},
          {"compared", comparison.compared},
          {"significance", comparison.compared > 0 ? Json(comparison.significance) : Json(nullptr)},
          {"shifted", comparison.shifted()}};
}

Json report_document(const RttReport& report) {
  const Measurement& measurement = *report.measurement;
  Json document;
  if (report.interval)
    document["interval"] = {{"number", report.interval->number},
                            {"start_ns", to_ns(report.interval->start)},
                            {"end_ns", to_ns(report.interval->end)}};
  document["input"] = input_object(report.input);
  document["table"] = table_object(report.table);
  if (report.engine) document["engine"] = engine_object(*report.engine);
  document["kinds"] = Json::object();
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    if (report.kinds.has(kind))
      document["kinds"][std::string{name_of(kind)}] = kind_object(report, kind);
  }
  if (measurement.grouping())
    document["grouping"] = {{"by", measurement.grouping()->name()},
                            {"groups", measurement.group_count()},
                            {"samples_beyond_groups", measurement.samples_beyond_groups()}};
  document["groups"] = groups_array(report);
  document["windows"] = windows_array(report);
  if (measurement.window())
    document["samples_beyond_windows"] = measurement.samples_beyond_windows();
  if (report.changes) document["changes"] = changes_object(*report.changes);
  if (report.loss) document["loss"] = loss_object(report);
  if (report.measurement->heatmap()) document["heatmap"] = heatmap_object(report);
  document["sla"] = sla_array(report);
  document["sla_groups"] = sla_groups_array(report);
  if (report.expect) document["expectation"] = expectation_object(*report.expect);
  document["expect"] = Json::array();
  if (report.expect)
    for (const ExpectResult& result : report.expect->comparison.results)
      document["expect"].push_back(expect_object(result));
  document["elapsed_ns"] = to_ns(report.elapsed);

  return document;
}

}  // namespace

std::string json_report(const RttReport& report) { return document_text(report_document(report)); }
std::string json_line(const RttReport& report) { return line_text(report_document(report)); }

}  // namespace sojourn
