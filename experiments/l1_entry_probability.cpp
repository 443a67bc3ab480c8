// L1: which entry probability is best for a fridge (FRIDGE section 5.2, figure 3).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/round_trip_experiments.h"
#include "experiments/round_trip_parts.h"

namespace sojourn {
namespace {

struct Sweep {
  int octaves;            ///< delays up to 2^octaves ms
  int first, last;        ///< p = 2^-first ... 2^-last
  double paper_best;      ///< log2 of the p that the paper found best
  const char* paper_text;
};

struct Outcome {
  std::vector<double> p;
  std::vector<TrialErrors> errors;
  std::vector<double> score;  ///< mean of p50, p95, p99 and worst
  TrialErrors ours;
  double ours_score = 0;
};

double score_of(const TrialErrors& errors) { return (errors.p50 + errors.p95 + errors.p99 + errors.worst) / 4; }

}  // namespace

LabReport run_l1(const LabSetting& setting) {
  // Quick: an eighth of the rate and of the slots leaves p and all lives in seconds as they are.
  const double scale = setting.quick ? 8 : 1;
  const auto slots = static_cast<std::size_t>(4096 / scale);
  const std::size_t seeds = setting.quick ? 11 : 21;
  const Sweep sweeps[] = {{12, 5, 15, -9, "2^-9"}, {6, 0, 9, -4, "2^-4"}};

  LabReport report;
  double done = 0;
  for (const Sweep& sweep : sweeps) {
    // Two longest delays long at least, so that what happens at the ends does not decide.
    const double seconds = std::max(2 * std::exp2(sweep.octaves) * 1e-3, 1.25);
    const double rate = 1e6 / scale;
    const RequestTrace trace = make_trace(LogUniformTrace{.requests = static_cast<std::size_t>(seconds * rate),
                                                          .rate = rate,
                                                          .octaves = sweep.octaves,
                                                          .ends_with_last_request = true},
                                          setting.seed);
    std::vector<Contender> contenders;
    Outcome outcome;
    for (int k = sweep.first; k <= sweep.last; ++k) {
      outcome.p.push_back(std::exp2(-k));
      contenders.push_back(fridge(slots, outcome.p.back()));
    }
    contenders.push_back(self_configured(slots * paper_slot_bytes));
    const auto trials = try_all(trace, contenders, key_seeds(setting, seeds, 1),
                                [&](double part) { setting.progress((done + part) / 2); });
    done += 1;
    LabTable table{fmt::format("errors-{}", sweep.octaves),
                   fmt::format("Delays up to 2^{} ms, {} slots: |log2(estimated/true)|, median of {} seeds", sweep.octaves, slots, seeds),
                   {"p", "M/p (arrivals)"},
                   {}};
    for (const std::string& column : error_columns()) table.columns.push_back(column);
    LineChart chart{fmt::format("Fridge, M = {}, delays up to 2^{} ms", slots, sweep.octaves), {"entry probability", true}, {"error (octaves)", true}, {}};
    ChartSeries series[] = {{"p50", {}}, {"p95", {}}, {"p99", {}}, {"worst of 5..95", {}}};
    for (std::size_t i = 0; i < outcome.p.size(); ++i) {
      const TrialErrors errors = median_of(trials[i]);
      outcome.errors.push_back(errors);
      outcome.score.push_back(score_of(errors));
      std::vector<std::string> row = {power_of_two(outcome.p[i]), power_of_two(static_cast<double>(slots) / outcome.p[i])};
      for (const std::string& cell : error_cells(errors)) row.push_back(cell);
      table.rows.push_back(row);
      const double values[] = {errors.p50, errors.p95, errors.p99, errors.worst};
      for (std::size_t s = 0; s < 4; ++s) series[s].points.push_back({outcome.p[i], values[s]});
    }
    outcome.ours = median_of(trials.back());
    std::vector<std::string> row = {"ours, self-configured", ""};
    for (const std::string& cell : error_cells(outcome.ours)) row.push_back(cell);
    table.rows.push_back(row);
    chart.series.assign(std::begin(series), std::end(series));
    chart.series.push_back({"worst, ours without a p", {{outcome.p.front(), outcome.ours.worst}, {outcome.p.back(), outcome.ours.worst}}, true, false});

    const auto best = static_cast<std::size_t>(std::ranges::min_element(outcome.score) - outcome.score.begin());
    const double arrivals = rate * std::exp2(sweep.octaves) * 1e-3;
    const double rule = std::log2(static_cast<double>(slots) / arrivals);
    const auto at = static_cast<std::size_t>(std::clamp<long>(std::lround(-rule) - sweep.first, 0, sweep.last - sweep.first));
    report.claims.push_back(
        {fmt::format("delays up to 2^{} ms: the best p is near M / (arrivals in the longest delay) = 2^{:.1f}; error there against the least",
                     sweep.octaves, rule),
         fmt::format("best near {}", sweep.paper_text),
         fmt::format("best {}; {:.3f} against {:.3f}", power_of_two(outcome.p[best]), outcome.score[at], outcome.score[best]),
         std::fabs(std::log2(outcome.p[best]) - rule) <= 1.6 && outcome.score[at] <= 1.3 * outcome.score[best]});
    const double near = std::max(outcome.score[best > 0 ? best - 1 : best],
                                 outcome.score[std::min(best + 1, outcome.score.size() - 1)]);
    report.claims.push_back({fmt::format("delays up to 2^{} ms: the error hardly changes from half to twice the best p", sweep.octaves),
                             "similar accuracy within 0.5-2x", fmt::format("at most {:.2f} times the least", near / outcome.score[best]),
                             near <= 1.5 * outcome.score[best]});
    report.claims.push_back({fmt::format("delays up to 2^{} ms: ours, without any p, is at least as accurate as the best p", sweep.octaves), "-",
                             fmt::format("{:.3f} against {:.3f}", score_of(outcome.ours), outcome.score[best]),
                             score_of(outcome.ours) <= outcome.score[best]});
    report.tables.push_back(std::move(table));
    report.figures.push_back({fmt::format("delays-{}", sweep.octaves), std::move(chart)});
  }
  return report;
}

}  // namespace sojourn
