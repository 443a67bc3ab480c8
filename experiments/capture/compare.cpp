#include "experiments/capture/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units.h"

namespace sojourn {
namespace {

/// Three digits; no figure for a table that found nothing.
Cell octaves(double error) { return std::isfinite(error) ? Cell::decimals(error, 3) : Cell{}; }

}  // namespace

Result<Comparison> compare_tables(CaptureTrial& trial, const CompareOptions& options,
                                  const std::function<void(double)>& progress) {
  std::vector<TableChoice> choices;
  std::vector<std::uint64_t> memories;  // what was asked for; the table has a part of it
  for (const std::uint64_t memory : options.memories) {
    for (const TableKind kind : fixed_memory_tables()) {
      const auto choice = choose_table({.kind = kind, .memory_bytes = memory});
      if (!choice) return failure(std::string{reason_of(choice.error())});
      trial.prepare(*choice);
      choices.push_back(*choice);
      memories.push_back(memory);
    }
  }
  const auto outcomes = trial.run_all(choices, options.first_seed, options.seeds, progress);

  Comparison comparison;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::span seeds{outcomes.data() + i * options.seeds, options.seeds};
    const auto error_at = [&](int percentile) {
      return median_over(
          seeds, [percentile](const TrialOutcome& outcome) { return outcome.octaves(percentile); });
    };
    comparison.tables.push_back(
        {.table = choices[i].kind,
         .memory_bytes = memories[i],
         .p50 = error_at(50),
         .p95 = error_at(95),
         .p99 = error_at(99),
         .worst = median_over(seeds,
                              [](const TrialOutcome& outcome) { return outcome.worst_octaves(); }),
         .total = median_over(seeds, [](const TrialOutcome& outcome) { return outcome.total; }),
         .samples =
             median_over(seeds, [](const TrialOutcome& outcome) { return outcome.samples; })});
  }
  return comparison;
}

LabReport report_of(const Comparison& comparison, const CaptureTrial& trial,
                    const CompareOptions& options) {
  LabReport report;
  ResultTable table{
      .name = "errors",
      .title = fmt::format("|log2(estimated / true)| in octaves, kind {}, median over {} seeds",
                           name_of(trial.kind()), options.seeds),
      .columns = {"memory", "table", "p50", "p95", "p99", "worst 5..95", "pairs / true", "samples"},
      .rows = {}};
  LineChart worst{.title = fmt::format("Error by memory, kind {}: worst of the percentiles 5 to 95",
                                       name_of(trial.kind())),
                  .x = {.label = "memory (bytes)", .logarithmic = true},
                  .y = {.label = "|log2(estimated / true)|", .logarithmic = true},
                  .series = {}};
  LineChart tail = worst;
  tail.title = fmt::format("Error by memory, kind {}: 99th percentile", name_of(trial.kind()));
  for (const TableKind kind : fixed_memory_tables()) {
    worst.series.push_back({.name = std::string{name_of(kind)}, .points = {}});
    tail.series.push_back({.name = std::string{name_of(kind)}, .points = {}});
    for (const ComparedTable& row : comparison.tables) {
      if (row.table != kind) continue;
      // A logarithmic axis has no zero: values below the histogram's resolution are drawn there.
      const double memory = static_cast<double>(row.memory_bytes), least = 1e-3;
      worst.series.back().points.push_back({memory, std::max(row.worst, least)});
      tail.series.back().points.push_back({memory, std::max(row.p99, least)});
    }
  }
  for (const ComparedTable& row : comparison.tables)
    table.rows.push_back({Cell::number(row.memory_bytes, format_size(row.memory_bytes)),
                          name_of(row.table), octaves(row.p50), octaves(row.p95), octaves(row.p99),
                          octaves(row.worst), Cell::decimals(row.total, 3),
                          Cell::decimals(row.samples, 0)});
  report.tables = {std::move(table)};
  report.figures = {{"worst", std::move(worst)}, {"p99", std::move(tail)}};
  return report;
}

}  // namespace sojourn
