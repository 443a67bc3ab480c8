#include "experiments/roundtrip/l2_memory_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "experiments/roundtrip/round_trip_parts.h"

namespace sojourn {

double size_reaching(const Curve& curve, std::size_t merit, double error) {
  double before_size = 0, before_error = 0;
  for (const auto& [size, reached] : curve) {
    const double here = reached.error(merit);
    if (here <= error) {
      if (before_size == 0) return size;  // or less
      const double part =
          std::log(before_error / error) / std::log(before_error / std::max(here, 1e-9));
      return before_size + part * (size - before_size);
    }
    before_size = size;
    before_error = here;
  }
  return before_size + 1;  // more than the largest
}

void add_merit(LabReport& report, const std::vector<int>& sizes,
               const std::map<std::string, Curve>& curves, std::size_t merit,
               const std::string& how) {
  const Curve& ours = curves.at(ours_name);
  const Merit figure_of = merits[merit].merit;
  ResultTable table{
      fmt::format("{}-errors", merits[merit].file),
      fmt::format("{}: |log2(estimated/true)| in octaves, {}; bytes are 8 times the slots",
                  merits[merit].name, how),
      {"slots"},
      {}};
  LineChart chart{fmt::format("Error at {}, tables at equal memory", merits[merit].name),
                  {"memory (bytes)", true},
                  {"error (octaves)", true},
                  {}};
  for (const auto& [family, curve] : curves) {
    table.columns.push_back(family);
    if (family != ours_name && family != "leased") table.columns.push_back("at");
    ChartSeries series{.name = family, .points = {}};
    for (const auto& [size, reached] : curve)
      series.points.push_back(
          {std::exp2(size) * paper_slot_bytes, reached.errors[merit].*figure_of});
    chart.series.push_back(std::move(series));
  }
  for (const auto& [size, reached] : ours) {
    std::vector<Cell> row = {power_of_two(std::exp2(size))};
    for (const auto& [family, curve] : curves) {
      const auto at = curve.find(size);
      row.push_back(at == curve.end() ? Cell::nothing()
                                      : figure(at->second.errors[merit].*figure_of));
      if (family != ours_name && family != "leased")
        row.push_back(at == curve.end() ? Cell::nothing() : Cell{at->second.setting[merit]});
    }
    table.rows.push_back(std::move(row));
  }
  report.tables.push_back(std::move(table));
  report.figures.push_back({merits[merit].file, std::move(chart)});

  ResultTable shares{
      fmt::format("{}-memory", merits[merit].file),
      fmt::format(
          "{}: memory with which ours reaches the error of the others, as a share of theirs",
          merits[merit].name),
      {"slots"},
      {}};
  for (const char* const family : {"staged-1", "staged-4", "fridge", "two fridges, ivw"}) {
    const Curve& theirs = curves.at(family);
    std::string listed, halves;
    bool all = true, all_halves = true;
    for (const int size : sizes) {
      if (size > 14) continue;  // the requirement ends here; beyond, ours has other lines
      const double error = theirs.at(size).errors[merit].*figure_of;
      const double equal = ours.at(size).errors[merit].*figure_of,
                   half = ours.at(size - 1 >= ours.begin()->first ? size - 1 : size).errors[merit].*
                          figure_of;
      all &= equal <= error;
      all_halves &= half <= error;
      listed +=
          fmt::format("{}2^{}: {:.3f}/{:.3f}", listed.empty() ? "" : ", ", size, equal, error);
      halves += fmt::format("{}2^{}: {:.3f}/{:.3f}", halves.empty() ? "" : ", ", size, half, error);
    }
    report.claims.push_back(
        {fmt::format("{}: ours is at least as accurate as {} at its best setting",
                     merits[merit].name, family),
         std::nullopt, listed, all});
    if (std::string_view{family} == "staged-4" || std::string_view{family} == "two fridges, ivw")
      report.claims.push_back({fmt::format("{}: ours with half the memory is as accurate as {}",
                                           merits[merit].name, family),
                               std::nullopt, halves, all_halves});
    shares.columns.push_back(family);
  }
  for (const int size : sizes) {
    std::vector<Cell> row = {power_of_two(std::exp2(size))};
    for (std::size_t i = 1; i < shares.columns.size(); ++i) {
      const double error = curves.at(shares.columns[i]).at(size).errors[merit].*figure_of;
      row.push_back(Cell::decimals(std::exp2(size_reaching(ours, merit, error) - size), 2));
    }
    shares.rows.push_back(std::move(row));
  }
  report.tables.push_back(std::move(shares));
}

void add_figure5(LabReport& report, const std::vector<int>& sizes,
                 const std::map<std::string, Curve>& curves) {
  ResultTable table{
      "joined",
      "Figure 5, ten runs joined: mean of the errors at 50, 95 and 99 per cent, in octaves",
      {"slots"},
      {}};
  LineChart chart{"Error, ten runs joined (FRIDGE figure 5)",
                  {"memory (bytes)", true},
                  {"mean of p50, p95, p99 (octaves)", true},
                  {}};
  for (const auto& [family, curve] : curves) {
    table.columns.push_back(family);
    ChartSeries series{.name = family, .points = {}};
    for (const auto& [size, reached] : curve)
      series.points.push_back({std::exp2(size) * paper_slot_bytes, reached.error(joined_merit)});
    chart.series.push_back(std::move(series));
  }
  for (const auto& [size, ours] : curves.at(ours_name)) {
    std::vector<Cell> row = {power_of_two(std::exp2(size))};
    for (const auto& [family, curve] : curves)
      row.push_back(curve.contains(size) ? figure(curve.at(size).error(joined_merit))
                                         : Cell::nothing());
    table.rows.push_back(std::move(row));
  }
  for (const std::string& mine : {std::string{"two fridges, ivw"}, ours_name}) {
    for (const char* const theirs : {"staged-1", "staged-4"}) {
      std::string listed;
      bool all = true;
      for (const int size : sizes) {
        if (size == sizes.front()) continue;  // less memory than the least was not tried
        const double reached_at = size_reaching(curves.at(mine), joined_merit,
                                                curves.at(theirs).at(size).error(joined_merit));
        const bool at_least = reached_at <= curves.at(mine).begin()->first,
                   at_most = reached_at > sizes.back();
        listed += fmt::format("{}2^{}: {}{:.1f}", listed.empty() ? "" : ", ", size,
                              at_least  ? ">"
                              : at_most ? "<"
                                        : "",
                              std::exp2(size - reached_at));
        all &= size - reached_at >= 1;
      }
      report.claims.push_back(
          {fmt::format("figure 5: {} need{} how many times less memory than {} for the same error",
                       mine, mine == ours_name ? "s" : "", theirs),
           mine == ours_name ? std::nullopt : std::optional<std::string>{"2 to 4"}, listed, all});
    }
  }
  report.tables.push_back(std::move(table));
  report.figures.push_back({"joined", std::move(chart)});
}

}  // namespace sojourn
