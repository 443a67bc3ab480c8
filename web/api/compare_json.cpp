// Two times or two groups as distributions, and whether they differ.

#include <algorithm>

#include "estimate/distribution/shift.h"
#include "naming/stored_group.h"
#include "web/api/api.h"
#include "web/api/api_values.h"

namespace sojourn::web {
namespace {

constexpr std::size_t most_points = 400;

/// F at some delays, in order; not more points than a screen has pixels.
Json cdf_json(const Distribution& delays) {
  const auto points = delays.cdf();
  Json delay = Json::array(), share = Json::array();
  const std::size_t step = std::max<std::size_t>(1, points.size() / most_points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % step != 0 && i + 1 != points.size()) continue;
    delay.push_back(to_ns(points[i].delay));
    share.push_back(points[i].fraction);
  }
  return {{"delay_ns", delay}, {"share", share}};
}

struct Side {
  Selector selector;
  Stretch stretch;
  SelectedDelays selected;
};

Result<Side> read_side(Store& store, const QueryString& query, const ApiContext& context,
                       const std::string& suffix) {
  auto selector = Selector::parse(query, suffix);
  if (!selector) return std::unexpected(selector.error());
  const auto stretch = Stretch::parse(query, context.now, suffix);
  if (!stretch) return std::unexpected(stretch.error());
  auto selected = delays_of(store, *selector, *stretch);
  if (!selected) return std::unexpected(selected.error());
  return Side{std::move(*selector), *stretch, std::move(*selected)};
}

Json side_json(const Side& side) {
  Json json = json_of(side.selected.delays);
  const bool oneway = side.selector.measure == number_of(Measure::oneway);
  json["subject"] = side.selector.subject;
  json["kind"] = measure_name(side.selector.measure);
  json["leg"] = oneway || !side.selected.leg ? Json(nullptr) : Json(leg_names[*side.selected.leg]);
  json["prefix"] = side.selector.prefix ? Json(group_name(*side.selector.prefix)) : Json(nullptr);
  json["from_s"] = seconds_since_1970(side.stretch.from);
  json["to_s"] = seconds_since_1970(side.stretch.to);
  json["cdf"] = cdf_json(side.selected.delays);
  return json;
}

}  // namespace

Result<Json> compare_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (const auto name =
          query.stranger({"subject_a", "kind_a", "leg_a", "prefix_a", "from_s_a", "to_s_a",
                          "subject_b", "kind_b", "leg_b", "prefix_b", "from_s_b", "to_s_b"}))
    return failure("compare has no parameter '" + std::string{*name} + "'");
  const auto a = read_side(store, query, context, "_a");
  if (!a) return std::unexpected(a.error());
  const auto b = read_side(store, query, context, "_b");
  if (!b) return std::unexpected(b.error());
  const auto expected = a->selected.delays.snapshot({}), now = b->selected.delays.snapshot({});
  Json json = {{"a", side_json(*a)},
               {"b", side_json(*b)},
               {"tolerance", tolerance},
               {"false_alarm", false_alarm},
               {"verdict", name_of(ShiftVerdict::too_few)},
               {"p_value", nullptr},
               {"at_ns", nullptr}};
  if (!enough_to_compare(expected) || !enough_to_compare(now)) return json;
  const ShiftTest test = test_shift(expected, now, tolerance);
  json["verdict"] = name_of(verdict_of(test, false_alarm));
  json["p_value"] = test.greater().p_value;
  json["at_ns"] = ns_or_null(test.greater().at);
  return json;
}

}  // namespace sojourn::web
