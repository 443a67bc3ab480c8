// How often the 95 % intervals of `sojourn rtt` cover the truth, and how often `--expect` raises an
// alarm though nothing has changed: every table, at every size of a series, on five kinds of
// traffic.

#include <fmt/format.h>

#include <array>
#include <string>

#include "experiments/roundtrip/interval_trial.h"
#include "experiments/roundtrip/round_trip_experiments.h"

namespace sojourn {
namespace {

constexpr std::array sizes_kib = {4u, 16u, 64u, 256u, 1024u};
constexpr std::array kinds = {TableKind::staged,      TableKind::fridge, TableKind::fridges,
                              TableKind::fridges_ivw, TableKind::leased, TableKind::tailored};

/// staged leaves out requests without room, fridges-ivw is for comparison: both are known to be
/// biased, and their reports say so.
bool is_promised(TableKind kind) {
  return kind != TableKind::staged && kind != TableKind::fridges_ivw;
}

/// Where few runs bound a quantile, it is those whose longest delays happen to be short or many: of
/// them fewer hold the truth, and nothing is promised.  Of 100 intervals the share that holds is
/// known within 7 % (three standard errors).
bool often_bounded(double bounded, std::size_t runs) {
  return bounded >= 0.2 && bounded * static_cast<double>(runs) >= 100;
}

/// All that `--table` and `--memory` allow.
std::vector<IntervalTable> tables() {
  std::vector<IntervalTable> all = {{}};
  for (const TableKind kind : kinds)
    for (const unsigned kib : sizes_kib)
      if (choose_table({.kind = kind, .memory_bytes = kib * 1024}))
        all.push_back({kind, kib * 1024});
  return all;
}

std::string name_of(const IntervalTable& table) {
  return table.memory_bytes
             ? fmt::format("{}, {} KiB", name_of(table.kind), *table.memory_bytes / 1024)
             : std::string{name_of(table.kind)};
}

Cell size_cell(const IntervalTable& table) {
  if (!table.memory_bytes) return Cell::nothing("all");
  return Cell::number(std::uint64_t{*table.memory_bytes},
                      fmt::format("{} KiB", *table.memory_bytes / 1024));
}

Cell percent(double share) { return Cell::decimals(100 * share, 1); }

/// The worst value of each promise, and where it occurred.
struct Worst {
  double value;
  std::string where;

  void note_least(double found, const std::string& name) {
    if (found < value) *this = {found, name};
  }
  void note_most(double found, const std::string& name) {
    if (found > value) *this = {found, name};
  }
};

ResultTable coverage_table(std::size_t runs) {
  return {.name = "coverage",
          .title = fmt::format(
              "95 % intervals of {} runs: how often they hold the truth (an unknown end "
              "does), how often they have two ends and how often those hold it, their "
              "width (median, of the truth)",
              runs),
          .columns = {"traffic", "table", "memory", "samples", "total", "p50 holds %",
                      "p95 holds %", "p99 holds %", "p50 bounded %", "p95 bounded %",
                      "p99 bounded %", "p50 bounded holds %", "p95 bounded holds %",
                      "p99 bounded holds %", "p50 width %", "p95 width %", "p99 width %"},
          .rows = {}};
}

ResultTable alarm_table() {
  return {.name = "alarms",
          .title = "false alarms of --expect with tolerance 0: each run against the next",
          .columns = {"traffic", "table", "memory", "compared", "at 5 %: %", "at 1 %: %",
                      "at 0.1 %: %"},
          .rows = {}};
}

}  // namespace

LabReport run_intervals(const LabSetting& setting) {
  const std::size_t runs = setting.quick ? 100 : 1000;
  const auto all_tables = tables();
  const auto all_traffic = interval_traffic();
  ResultTable coverage = coverage_table(runs), alarms = alarm_table();
  Worst middle{1, "-"}, tail{1, "-"}, with_ends{1, "-"}, often{0, "-"}, bias{0, "-"},
      least_alone{1, "-"}, most_alone{0, "-"};
  std::array<double, 3> raised{}, compared{};
  for (std::size_t n = 0; n < all_traffic.size(); ++n) {
    const IntervalTraffic& traffic = all_traffic[n];
    const auto trials = try_intervals(traffic, all_tables, runs, setting.seed, [&](double part) {
      setting.progress((static_cast<double>(n) + part) / static_cast<double>(all_traffic.size()));
    });
    for (std::size_t t = 0; t < trials.size(); ++t) {
      const IntervalTrial& trial = trials[t];
      const IntervalTable& table = all_tables[t];
      const std::string where = fmt::format("{}, {}", traffic.name, name_of(table));
      std::vector<Cell> row = {
          traffic.name, name_of(table.kind), size_cell(table), Cell::decimals(trial.samples, 0),
          Cell::number(trial.total,
                       fmt::format("{:.4f} ± {:.4f}", trial.total, trial.total_error))};
      for (const double figure : trial.held) row.push_back(percent(figure));
      for (const double figure : trial.bounded) row.push_back(percent(figure));
      for (const auto* figures : {&trial.held_bounded, &trial.width})
        for (std::size_t i = 0; i < figures->size(); ++i)
          row.push_back(trial.bounded[i] > 0 ? percent((*figures)[i]) : Cell{});
      coverage.rows.push_back(std::move(row));
      std::vector<Cell> alarm_row = {traffic.name, name_of(table.kind), size_cell(table),
                                     trial.compared};
      const auto pairs = static_cast<double>(trial.compared);
      for (const std::size_t raised_here : trial.alarms)
        alarm_row.push_back(
            trial.compared == 0 ? Cell{} : percent(static_cast<double>(raised_here) / pairs));
      alarms.rows.push_back(std::move(alarm_row));

      if (!is_promised(table.kind)) continue;
      middle.note_least(std::min(trial.held[0], trial.held[1]), where);
      tail.note_least(trial.held[2], where);
      for (std::size_t i = 0; i < trial.bounded.size(); ++i)
        if (often_bounded(trial.bounded[i], runs))
          with_ends.note_least(
              trial.held_bounded[i],
              fmt::format("p{:.0f}, {}", 100 * IntervalTrial::quantiles[i], where));
      if (n == 0) {  // independent samples, the first traffic of the list
        least_alone.note_least(std::min(trial.held[0], trial.held[1]), where);
        most_alone.note_most(std::max(trial.held[0], trial.held[1]), where);
      }
      if (trial.compared > 0) often.note_most(static_cast<double>(trial.alarms[0]) / pairs, where);
      // Up to three standard errors may be chance: one of 370, and there are a hundred.
      bias.note_most(std::max(0.0, std::abs(trial.total - 1) - 3.5 * trial.total_error), where);
      for (std::size_t i = 0; i < raised.size(); ++i) {
        raised[i] += static_cast<double>(trial.alarms[i]);
        compared[i] += pairs;
      }
    }
  }
  LabReport report;
  const auto least = [](const Worst& worst) {
    return fmt::format("{:.1f} % ({})", 100 * worst.value, worst.where);
  };
  report.claims = {
      {"intervals of p50 and p95 hold at least 90 %, the worst of all unbiased tables",
       std::nullopt, least(middle), middle.value >= 0.9},
      {"intervals of p99 hold at least 90 %, the worst likewise", std::nullopt, least(tail),
       tail.value >= 0.9},
      {"of the intervals with two ends 90 % hold, the worst likewise where a fifth has two",
       std::nullopt, least(with_ends), with_ends.value >= 0.9},
      {"of independent samples 93 to 97 %, the least and the most likewise", std::nullopt,
       least(least_alone) + " to " + least(most_alone),
       least_alone.value >= 0.93 && most_alone.value <= 0.97},
      {"the number of pairs is estimated without bias: beyond 3.5 standard errors", std::nullopt,
       fmt::format("{:.2f} % ({})", 100 * bias.value, bias.where), bias.value <= 0.002},
      {"--expect at 5 % raises at most 7 % false alarms, the worst likewise", std::nullopt,
       least(often), often.value <= 0.07},
      {"--expect at 1 and 0.1 %, over all of them, raises no more", std::nullopt,
       fmt::format("{:.2f} and {:.3f} % of {:.0f} pairs", 100 * raised[1] / compared[1],
                   100 * raised[2] / compared[2], compared[2]),
       raised[1] <= 0.01 * compared[1] && raised[2] <= 0.001 * compared[2]},
  };
  report.tables = {std::move(coverage), std::move(alarms)};
  return report;
}

}  // namespace sojourn
