// What is available: subjects, their kinds and legs, and how recent they are.

#include "web/api/api.h"
#include "web/api/api_values.h"

namespace sojourn::web {
namespace {

/// Of each kind the leg to show first; one-way delays have no legs.
Json headlines() {
  Json legs = Json::object();
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    legs[std::string{kind_names[kind]}] = name_of(headline_leg(static_cast<Kind>(kind)));
  return legs;
}

}  // namespace

Result<Json> status_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (query.stranger({})) return failure("status has no parameters");
  const auto age = store.age();
  if (!age) return std::unexpected(age.error());
  const auto subjects = store.subjects();
  if (!subjects) return std::unexpected(subjects.error());
  Json list = Json::array();
  for (const SubjectSummary& subject : *subjects) {
    Json kinds = Json::array();
    for (const std::uint8_t measure : subject.measures)
      if (measure != number_of(Measure::loss)) kinds.push_back(measure_name(measure));
    if (kinds.empty()) continue;
    const auto newest = store.newest(subject.name);
    if (!newest) return std::unexpected(newest.error());
    list.push_back({{"name", subject.name},
                    {"segment", subject.name.find(':') != std::string::npos},
                    {"kinds", kinds},
                    {"newest_s", seconds_or_null(*newest)}});
  }
  return Json{{"version", context.version},
              {"now_s", seconds_since_1970(context.now)},
              {"written_s", seconds_or_null(age->written)},
              {"judged_until_s", seconds_or_null(age->judged_until)},
              {"legs", leg_names},
              {"headlines", headlines()},
              {"subjects", list}};
}

Result<Json> alarms_json(Store&, const QueryString& query, const ApiContext& context) {
  if (query.stranger({})) return failure("alarms has no parameters");
  return Json{{"now_s", seconds_since_1970(context.now)}, {"alarms", context.alarms()}};
}

}  // namespace sojourn::web
