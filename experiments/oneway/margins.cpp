// How often the margins that `sojourn oneway` prints hold the truth: nominally 95 %.

#include <fmt/format.h>

#include <array>
#include <string>

#include "experiments/oneway/margin_trial.h"
#include "experiments/oneway/oneway_experiments.h"

namespace sojourn {
namespace {

constexpr double cnf_promise = 0.92, rli_promise = 0.90;

Cell percent(double share) { return Cell::decimals(100 * share, 1); }

struct NamedSampling {
  const char* name;
  MarginSampling sampling;
};
constexpr std::array samplings = {
    NamedSampling{"all packets", {1, false}}, NamedSampling{"packets, 10 %", {0.1, false}},
    NamedSampling{"packets, 1 %", {0.01, false}}, NamedSampling{"flows, 10 %", {0.1, true}}};
constexpr std::array cnf_estimators = {std::pair{"multiflow", CnfEstimator::multiflow},
                                       std::pair{"hybrid", CnfEstimator::hybrid},
                                       std::pair{"nearby", CnfEstimator::nearby}};
constexpr std::array rli_estimators = {std::pair{"rli", RliEstimator::interpolate},
                                       std::pair{"rli-l", RliEstimator::left_only},
                                       std::pair{"rli-queue", RliEstimator::queue_aware}};

ResultTable empty_table(std::string name, std::string title) {
  return {.name = std::move(name),
          .title = std::move(title),
          .columns = {"traffic", "selection", "method", "flows", "margin holds %",
                      "median margin %", "median error %"},
          .rows = {}};
}

void add_row(ResultTable& table, const std::string& traffic, const std::string& selection,
             const std::string& method, const MarginTrial& trial) {
  table.rows.push_back({traffic, selection, method, trial.flows, percent(trial.covered),
                        percent(trial.median_margin), percent(trial.median_error)});
}

/// The worst value of each claim, by name.
struct Worst {
  double covered = 1;
  std::string where;

  void note(const MarginTrial& trial, const std::string& name) {
    constexpr std::size_t few = 30;  // flows: chance alone moves such a share by 5 %
    if (trial.flows < few || trial.covered >= covered) return;
    covered = trial.covered;
    where = name;
  }
  Claim claim(std::string statement, double promised) const {
    return {std::move(statement), std::nullopt, fmt::format("{:.1f} % ({})", 100 * covered, where),
            covered >= promised};
  }
};

}  // namespace

LabReport run_margins(const LabSetting& setting) {
  MarginScale scale{.seed = setting.seed};
  if (setting.quick) scale = {.seconds = 8, .scale = 0.05, .seed = setting.seed};
  LabReport report;
  ResultTable cnf = empty_table("cnf", "CNF: flows whose true mean delay is within the margin");
  ResultTable rli = empty_table(
      "rli",
      "RLI, a reference packet ahead of 100, Ethernet: flows whose truth is within the margin");
  Worst worst_cnf, worst_rli;
  const auto traffic = margin_traffic(scale);
  double done = 0;
  for (const MarginTraffic& one : traffic) {
    const bool infinite_variance = one.name.starts_with("independent, Pareto");
    for (const auto& [selection, sampling] : samplings)
      for (const auto& [name, estimator] : cnf_estimators) {
        const MarginTrial trial = try_cnf_margins(one, estimator, sampling, setting.seed);
        add_row(cnf, one.name, selection, name, trial);
        if (!infinite_variance)
          worst_cnf.note(trial, fmt::format("{}, {}, {}", one.name, selection, name));
      }
    setting.progress(0.7 * ++done / static_cast<double>(traffic.size()));
  }
  constexpr std::array<double, 4> loads = {0.2, 0.55, 0.7, 0.88};
  std::vector<MarginTraffic> links;
  for (const double load : loads) {
    links.push_back(link_at(load, 0, scale));
    links.back().name = fmt::format("link at {:.0f} % load", 100 * load);
  }
  links.push_back(link_at(0.6, 0.5, scale));
  links.back().name = "link at 60 % load, half of it not in the capture";
  for (const MarginTraffic& one : traffic)
    if (one.in_order) links.push_back(one);
  for (const MarginTraffic& link : links) {
    for (const auto& [name, estimator] : rli_estimators) {
      if (estimator == RliEstimator::queue_aware && link.bytes_a_second == 0) continue;
      const MarginTrial trial = try_rli_margins(link, estimator, 100);
      add_row(rli, link.name, "references, 1 %", name, trial);
      worst_rli.note(trial, fmt::format("{}, {}", link.name, name));
    }
    setting.progress(0.7 + 0.3 * (++done - static_cast<double>(traffic.size())) /
                               static_cast<double>(links.size()));
  }
  report.claims.push_back(
      worst_cnf.claim("CNF's margins hold at least 92 %, the worst of all but independent delays "
                      "without variance",
                      cnf_promise));
  report.claims.push_back(
      worst_rli.claim("RLI's margins hold at least 90 %, the worst of all", rli_promise));
  report.tables = {std::move(cnf), std::move(rli)};
  return report;
}

}  // namespace sojourn
