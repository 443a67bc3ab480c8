#include "experiments/lab_json.h"

#include <nlohmann/json.hpp>

#include "experiments/lab_text.h"

namespace sojourn {

std::string lab_json(std::span<const LabResult> results, const LabSetting& setting) {
  using Json = nlohmann::ordered_json;
  std::size_t missed = 0;
  Json list = Json::array();
  for (const auto& [experiment, report, seconds] : results) {
    Json claims = Json::array(), tables = Json::array();
    for (const Claim& claim : report.claims)
      claims.push_back({{"statement", claim.statement}, {"paper", claim.paper}, {"ours", claim.ours}, {"met", claim.met}});
    for (const LabTable& table : report.tables)
      tables.push_back({{"name", table.name}, {"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    list.push_back({{"name", experiment->name}, {"source", experiment->source}, {"summary", experiment->summary},
                    {"seconds", seconds}, {"claims", claims}, {"tables", tables}});
    missed += missed_claims(report);
  }
  const Json document = {{"seed", setting.seed}, {"quick", setting.quick}, {"experiments", list}, {"missed", missed}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sojourn
