// L4: bursts of four times the rate and five times the delay, to see which tables are unbiased.
// (The papers' claims are STAGED section 2.5, "Sampling under memory pressure", and FRIDGE lemma
// 3.1.)

#include <fmt/format.h>

#include <cmath>

#include "experiments/roundtrip/round_trip_experiments.h"
#include "experiments/roundtrip/round_trip_parts.h"

namespace sojourn {

LabReport run_l4(const LabSetting& setting) {
  using namespace std::chrono_literals;
  // Quick: a quarter of the rate and of the slots has the same load.
  const double scale = setting.quick ? 4 : 1;
  const auto slots = static_cast<std::size_t>(4096 / scale);
  const BorderLinkTrace model{
      .seconds = 10, .rate = 300'000 / scale, .burst_rate = 4, .burst_delay = 5};
  const RequestTrace trace = make_trace(model, setting.seed);
  const double mean_rate = static_cast<double>(trace.requests) / model.seconds;
  const auto seeds = key_seeds(setting, setting.quick ? 9 : 21, 4);

  const std::vector<Contender> contenders = {
      staged(slots, 4, 500ms),
      staged(slots, 4, 2s),
      staged(slots, 4, 8s),
      fridge(slots, static_cast<double>(slots) / (mean_rate * 2)),
      two_fridges(slots, 3, static_cast<double>(slots) / 2 / (mean_rate * 2)),
      pooled_fridges(slots * paper_slot_bytes),
      leased(slots * paper_slot_bytes),
      self_configured(slots * paper_slot_bytes),
  };
  const auto trials = try_all(trace, contenders, seeds, setting.progress);

  LabReport report;
  ResultTable table{
      "errors",
      fmt::format("{} slots' worth of bytes, median of {} seeds: octaves", slots, seeds.size()),
      {"table", "setting", "p50, signed"},
      {}};
  for (const std::string& column : error_columns()) table.columns.push_back(column);
  std::vector<TrialErrors> errors;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    errors.push_back(median_of(trials[i]));
    const double off = errors[i].signed_p50;
    std::vector<Cell> row = {contenders[i].family, contenders[i].setting,
                             Cell::number(off, fmt::format("{:+.3f}", off))};
    for (const Cell& cell : error_cells(errors[i])) row.push_back(cell);
    table.rows.push_back(std::move(row));
  }
  LineChart chart{"Bursts of 4 times the rate and 5 times the delay",
                  {"delay (ms)", true},
                  {"share of pairs", false, 0, 1},
                  {}};
  chart.series.push_back(cdf_series("truth", trace));
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
    const std::string name = contenders[i].family + (i < 3 ? ", " + contenders[i].setting : "");
    chart.series.push_back(cdf_series(name, contenders[i].run(trace, seeds[0])));
  }
  // With sixty times as many requests as slots, random variation is larger.
  const double near = setting.quick ? 0.15 : 0.1;
  report.claims = {
      {"staged with a short expiry misses the slow pairs: its median, off by octaves",
       "\"unbiased sample\"; we expect -0.36", fmt::format("{:+.2f}", errors[0].signed_p50),
       errors[0].signed_p50 < -0.2},
      {"staged with a long one misses the busy times", "\"unbiased sample\"; we expect +1.4",
       fmt::format("{:+.2f}", errors[2].signed_p50), errors[2].signed_p50 > 0.5},
      {"fridge does not care: median within 0.1", "unbiased",
       fmt::format("{:+.3f}", errors[3].signed_p50), std::fabs(errors[3].signed_p50) < 0.1},
      {"pooled fridges do not care: median within 0.1", std::nullopt,
       fmt::format("{:+.3f}", errors[5].signed_p50), std::fabs(errors[5].signed_p50) < 0.1},
      {fmt::format("leased does not care: median within {}", near), std::nullopt,
       fmt::format("{:+.3f}", errors[6].signed_p50), std::fabs(errors[6].signed_p50) < near},
      {"ours, self-configured, does not care: median within 0.1", std::nullopt,
       fmt::format("{:+.3f}", errors[7].signed_p50), std::fabs(errors[7].signed_p50) < 0.1},
      {"ours estimates the number of pairs", std::nullopt,
       fmt::format("{:.3f} of the truth", errors[7].total), std::fabs(errors[7].total - 1) < 0.05},
  };
  report.tables.push_back(std::move(table));
  report.figures.push_back({"cdf", std::move(chart)});
  return report;
}

}  // namespace sojourn
