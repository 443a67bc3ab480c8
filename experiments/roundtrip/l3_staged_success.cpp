// L3: the share of the RTT samples that a staged table finds (STAGED section 3, figures 5 and 6).

#include <fmt/format.h>

#include <algorithm>

#include "experiments/roundtrip/round_trip_experiments.h"
#include "experiments/roundtrip/round_trip_parts.h"
#include "lab/flow_trace.h"

namespace sojourn {
namespace {

constexpr Duration expire = std::chrono::milliseconds{500};  // the paper's, its 99th percentile

}  // namespace

LabReport run_l3(const LabSetting& setting) {
  // Quick: an eighth of the packets and of the slots has the same load.
  const std::size_t scale = setting.quick ? 8 : 1;
  CampusTrace model;
  model.requests /= scale;
  model.responses /= scale;
  model.pairs /= scale;
  model.flows /= scale;
  const RequestTrace trace = make_trace(model, setting.seed).trace;
  const auto seeds = key_seeds(setting, 3, 3);

  // Slots are labelled as at full scale.
  const auto table_of = [&](unsigned stages, std::size_t total) {
    return staged(total / scale, stages, expire);
  };
  std::vector<Contender> contenders;
  constexpr unsigned figure5_stages[] = {1, 2, 4, 8};
  for (const unsigned stages : figure5_stages)
    for (int size = 10; size <= 16; ++size)
      contenders.push_back(table_of(stages, stages * (std::size_t{1} << size)));
  const std::size_t figure6 = contenders.size();
  for (int total = 15; total <= 19; ++total)
    for (unsigned stages = 1; stages <= 8; ++stages)
      contenders.push_back(table_of(stages, std::size_t{1} << total));
  const std::size_t accuracy = contenders.size();
  constexpr std::size_t accuracy_slots = 8192;
  contenders.push_back(table_of(4, accuracy_slots));
  contenders.push_back(self_configured(accuracy_slots * paper_slot_bytes / scale));

  const auto trials = try_all(trace, contenders, seeds, setting.progress);
  const auto success = [&](std::size_t i) { return median_of(trials[i]).total; };

  LabReport report;
  ResultTable sizes{"sizes",
                    "Share of the samples found, by slots of each stage; expire 500 ms",
                    {"slots a stage"},
                    {}};
  LineChart chart5{"Samples found, by the size of each stage",
                   {"slots in each stage", true},
                   {"share of samples found", false, 0, 1},
                   {}};
  for (std::size_t s = 0; s < 4; ++s) {
    sizes.columns.push_back(
        fmt::format("{} stage{}", figure5_stages[s], figure5_stages[s] == 1 ? "" : "s"));
    ChartSeries series{.name = sizes.columns.back(), .points = {}};
    for (std::size_t i = 0; i < 7; ++i)
      series.points.push_back({static_cast<double>(1024u << i), success(s * 7 + i)});
    chart5.series.push_back(std::move(series));
  }
  for (std::size_t i = 0; i < 7; ++i) {
    std::vector<Cell> row = {power_of_two(std::exp2(10 + i))};
    for (std::size_t s = 0; s < 4; ++s) row.push_back(figure(success(s * 7 + i)));
    sizes.rows.push_back(std::move(row));
  }
  ResultTable stages{
      "stages",
      "Share of the samples found, by the number of stages, for the same total memory",
      {"slots in all"},
      {}};
  LineChart chart6{"Samples found, by the number of stages",
                   {"stages"},
                   {"share of samples found", false, 0, 1},
                   {}};
  for (unsigned s = 1; s <= 8; ++s) stages.columns.push_back(std::to_string(s));
  double least_ratio = 1e6, least_part_3 = 1, least_part_4 = 1;
  for (std::size_t t = 0; t < 5; ++t) {
    const std::size_t first = figure6 + t * 8;
    std::vector<Cell> row = {power_of_two(std::exp2(15 + t))};
    ChartSeries series{.name = fmt::format("2^{} slots", 15 + t), .points = {}};
    double most = 0;
    for (std::size_t s = 0; s < 8; ++s) {
      row.push_back(figure(success(first + s)));
      series.points.push_back({static_cast<double>(s + 1), success(first + s)});
      most = std::max(most, success(first + s));
    }
    const double gain = most - success(first);
    if (gain > 0.05) {  // a gain is meaningful only if stages matter at all
      least_part_3 = std::min(least_part_3, (success(first + 2) - success(first)) / gain);
      least_part_4 = std::min(least_part_4, (success(first + 3) - success(first)) / gain);
      const double early = (success(first + 3) - success(first)) / 3,
                   late = (most - success(first + 3)) / 4;
      least_ratio = std::min(least_ratio, early / std::max(late, 1e-6));
    }
    stages.rows.push_back(std::move(row));
    chart6.series.push_back(std::move(series));
  }
  const double largest = success(3 * 7 + 6);
  report.claims.push_back({"8 tables of 65 536 slots find nearly all samples", "over 99 %",
                           fmt::format("{:.2f} %", 100 * largest), largest >= 0.99});
  // Figure 6 and section 3.3, at a fixed total memory: "S = 3 or 4 tables yield the most
  // significant improvement over using a single table, with diminishing return afterwards".  More
  // than half is the most.
  report.claims.push_back(
      {"most of what more stages gain over a single one is there with 3 and with 4, at every size",
       "3 or 4 yield the most",
       fmt::format("{:.0f} % and {:.0f} % of it at least", 100 * least_part_3, 100 * least_part_4),
       least_part_3 > 0.5});
  report.claims.push_back(
      {"one of the first 4 stages brings several times what one beyond them does, at every size",
       "diminishing return afterwards", fmt::format("{:.1f} times at least", least_ratio),
       least_ratio >= 3});
  const TrialErrors theirs = median_of(trials[accuracy]), ours = median_of(trials[accuracy + 1]);
  report.claims.push_back(
      {fmt::format(
           "where memory is short (2^13 slots' worth), ours is more accurate: worst of 5..95"),
       std::nullopt, fmt::format("{:.3f} against {:.3f}", ours.worst, theirs.worst),
       ours.worst <= theirs.worst});
  ResultTable errors{"errors", "64 KiB: |log2(estimated/true)|", {"table"}, {}};
  for (const std::string& column : error_columns()) errors.columns.push_back(column);
  for (const auto& [name, one] :
       {std::pair{"staged-4, expire 500 ms", theirs}, std::pair{"ours, self-configured", ours}}) {
    std::vector<Cell> row = {name};
    for (const Cell& cell : error_cells(one)) row.push_back(cell);
    errors.rows.push_back(std::move(row));
  }
  report.tables = {std::move(sizes), std::move(stages), std::move(errors)};
  report.figures.push_back({"sizes", std::move(chart5)});
  report.figures.push_back({"stages", std::move(chart6)});
  return report;
}

}  // namespace sojourn
