#include "export/lab/lab_json.h"

#include "export/json_values.h"

namespace sojourn {
namespace {

Json rows_of(const ResultTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row) cells.push_back(cell_value(cell));
    rows.push_back(std::move(cells));
  }
  return rows;
}

Json describe(const CaptureTrial& trial, std::span<const std::string> captures) {
  Json exact = Json::array();
  for (const int percentile : {5, 50, 95, 99})
    exact.push_back({{"q", percentile / 100.0}, {"delay_ns", trial.truth(percentile).count()}});
  return {{"files", captures},
          {"packets", trial.packets()},
          {"kind", name_of(trial.kind())},
          {"requests", trial.requests()},
          {"pairs", trial.pairs()},
          {"exact_memory_bytes", trial.exact_memory()},
          {"quantiles", exact}};
}

Json describe(const TunedTable& table) {
  return {{"table", name_of(*table.wishes.kind)},
          {"memory_bytes", table.memory_bytes},
          {"arguments", arguments_of(table)},
          {"strain", table.strain},
          {"seeds_met", table.seeds_met}};
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const CaptureTrial& trial,
                            const CompareOptions& options, std::span<const std::string> captures) {
  Json document = {
      {"input", describe(trial, captures)}, {"seeds", options.seeds}, {"seed", options.first_seed}};
  Json rows = Json::array();
  for (const ComparedTable& row : comparison.tables)  // what is not finite becomes null
    rows.push_back({{"table", name_of(row.table)},
                    {"memory_bytes", row.memory_bytes},
                    {"p50_octaves", row.p50},
                    {"p95_octaves", row.p95},
                    {"p99_octaves", row.p99},
                    {"worst_octaves", row.worst},
                    {"estimated_by_true_pairs", row.total},
                    {"samples", row.samples}});
  document["tables"] = rows;
  return document_text(document);
}

std::string tuning_json(const Tuning& tuning, const CaptureTrial& trial, const TuneOptions& options,
                        std::span<const std::string> captures) {
  Json document = {{"input", describe(trial, captures)},
                   {"target", options.target.text()},
                   {"seeds", options.seeds},
                   {"seed", options.first_seed}};
  document["best"] = tuning.best ? describe(*tuning.best) : Json{};
  if (tuning.best) document["best"]["confirmed_strain"] = tuning.best->confirmed;
  Json tried = Json::array();
  for (const TunedTable& table : tuning.tried) tried.push_back(describe(table));
  document["tried"] = tried;
  return document_text(document);
}

std::string lab_json(std::span<const LabResult> results, const LabSetting& setting) {
  std::size_t missed = 0;
  Json list = Json::array();
  for (const auto& [experiment, report, seconds] : results) {
    Json claims = Json::array(), tables = Json::array();
    for (const Claim& claim : report.claims)
      claims.push_back({{"statement", claim.statement},
                        {"paper", or_null(claim.paper)},
                        {"ours", claim.ours},
                        {"met", claim.met}});
    for (const ResultTable& table : report.tables)
      tables.push_back({{"name", table.name},
                        {"title", table.title},
                        {"columns", table.columns},
                        {"rows", rows_of(table)}});
    list.push_back({{"name", experiment->name},
                    {"source", experiment->source},
                    {"summary", experiment->summary},
                    {"seconds", seconds},
                    {"claims", claims},
                    {"tables", tables}});
    missed += missed_claims(report);
  }
  const Json document = {
      {"seed", setting.seed}, {"quick", setting.quick}, {"experiments", list}, {"missed", missed}};
  return document_text(document);
}

}  // namespace sojourn
