// A heatmap as lists of numbers, from which a page draws 100 000 cells.

#include <algorithm>

#include "naming/stored_group.h"
#include "web/api/api.h"
#include "web/api/api_values.h"
#include "web/api/heatmap.h"

namespace sojourn::web {
namespace {

constexpr std::int64_t most_columns = 1000;

/// Where each row begins and ends, from the lowest to the highest that has cells.
Json rows_json(const Heatmap& map) {
  Json low = Json::array(), high = Json::array();
  std::int32_t first = 0, last = -1;
  if (!map.cells.empty()) {
    const auto [least, most] = std::ranges::minmax_element(map.cells, {}, &HeatmapCell::row);
    first = least->row;
    last = most->row;
  }
  for (std::int32_t row = first; row <= last; ++row) {
    low.push_back(HeatmapRows::lowest(row));
    high.push_back(HeatmapRows::highest(row));
  }
  return {{"first", first}, {"low_ns", low}, {"high_ns", high}};
}

Json cells_json(const Heatmap& map) {
  Json column = Json::array(), row = Json::array(), weight = Json::array();
  for (const HeatmapCell& cell : map.cells) {
    column.push_back(cell.column);
    row.push_back(cell.row);
    weight.push_back(number_or_null(cell.weight));
  }
  return {{"column", column}, {"row", row}, {"weight", weight}};
}

void push_quantile(Json& json, const std::string& name, const HeatmapColumn& column,
                   std::size_t at) {
  const bool known = at < column.quantiles.size();
  const auto* quantile = known ? &column.quantiles[at] : nullptr;
  json[name + "_ns"].push_back(known ? Json(to_ns(quantile->delay)) : Json(nullptr));
  json[name + "_low_ns"].push_back(
      known ? interval_end(quantile->interval.low, quantile->interval.bounded_below)
            : Json(nullptr));
  json[name + "_high_ns"].push_back(
      known ? interval_end(quantile->interval.high, quantile->interval.bounded_above)
            : Json(nullptr));
}

Json series_json(const Heatmap& map) {
  Json json = Json::object();
  for (const char* name :
       {"weight", "effective_samples", "median_ns", "median_low_ns", "median_high_ns", "p95_ns",
        "p95_low_ns", "p95_high_ns", "loss", "loss_low", "loss_high", "sent"})
    json[name] = Json::array();
  for (const HeatmapColumn& column : map.columns) {
    json["weight"].push_back(number_or_null(column.weight));
    json["effective_samples"].push_back(column.effective_samples);
    push_quantile(json, "median", column, 0);
    push_quantile(json, "p95", column, 1);
    const auto& loss = column.loss;
    json["loss"].push_back(loss ? Json(loss->share) : Json(nullptr));
    json["loss_low"].push_back(loss ? Json(loss->low) : Json(nullptr));
    json["loss_high"].push_back(loss ? Json(loss->high) : Json(nullptr));
    json["sent"].push_back(loss ? number_or_null(loss->sent) : Json(nullptr));
  }
  return json;
}

Json json_of(const Heatmap& map, const Selector& selector, const StoreAge& age) {
  const bool oneway = selector.measure == number_of(Measure::oneway);
  return {{"subject", selector.subject},
          {"kind", measure_name(selector.measure)},
          {"leg", oneway || !map.leg ? Json(nullptr) : Json(leg_names[*map.leg])},
          {"prefix", selector.prefix ? Json(group_name(*selector.prefix)) : Json(nullptr)},
          {"from_s", seconds_since_1970(map.from)},
          {"to_s", seconds_since_1970(map.to)},
          {"step_s", to_ns(map.step) / 1'000'000'000},
          {"columns", map.columns.size()},
          {"written_s", seconds_or_null(age.written)},
          {"judged_until_s", seconds_or_null(age.judged_until)},
          {"rows", rows_json(map)},
          {"cells", cells_json(map)},
          {"series", series_json(map)}};
}

}  // namespace

Result<Json> heatmap_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (const auto name =
          query.stranger({"subject", "kind", "leg", "prefix", "from_s", "to_s", "columns"}))
    return failure("heatmap has no parameter '" + std::string{*name} + "'");
  const auto selector = Selector::parse(query);
  if (!selector) return std::unexpected(selector.error());
  const auto stretch = Stretch::parse(query, context.now);
  if (!stretch) return std::unexpected(stretch.error());
  const auto columns = whole_number(query, "columns", 2, most_columns, 240);
  if (!columns) return std::unexpected(columns.error());
  const auto age = store.age();
  if (!age) return std::unexpected(age.error());
  const auto map = heatmap(store, *selector, *stretch, static_cast<std::size_t>(*columns),
                           age->judged_until.value_or(Timestamp::min()));
  if (!map) return std::unexpected(map.error());
  return json_of(*map, *selector, *age);
}

Result<std::string> live_columns(Store& store, const QueryString& query, Timestamp now) {
  if (const auto name = query.stranger({"subject", "kind", "leg", "prefix", "step_s"}))
    return failure("live has no parameter '" + std::string{*name} + "'");
  const auto selector = Selector::parse(query);
  if (!selector) return std::unexpected(selector.error());
  const auto step = whole_number(query, "step_s", 10, 86'400 * 7, 10);
  if (!step) return std::unexpected(step.error());
  if (*step % 10 != 0) return failure("step_s must be a multiple of 10");
  const auto age = store.age();
  if (!age) return std::unexpected(age.error());
  const Duration length = std::chrono::seconds{*step};
  // The column in progress, and the one before, which now includes late data.
  const Timestamp begin = slice_of(now, length) - length;
  const auto map = heatmap(store, *selector, {begin, begin + 2 * length}, length,
                           age->judged_until.value_or(Timestamp::min()));
  if (!map) return std::unexpected(map.error());
  return compact_text(json_of(*map, *selector, *age));
}

}  // namespace sojourn::web
