// L7: how accurate RLI is, by load and by injection (RLI Fig. 5 to 7, 11 and 13).

#include <fmt/core.h>

#include <array>
#include <map>
#include <string>

#include "experiments/oneway/cnf_trial.h"
#include "experiments/oneway/oneway_experiments.h"
#include "experiments/oneway/rli_trial.h"

namespace sojourn {
namespace {

constexpr double link_bytes_per_second = 1.25e9;  // OC-192, the paper's basis for the overhead
constexpr std::array<double, 5> loads = {0.20, 0.55, 0.70, 0.88, 0.93};
constexpr double moderate = 0.55, between = 0.70, high = 0.88, highest = 0.93;

struct Scheme {
  Injection injection;
  const char* name;
};
constexpr std::array<Scheme, 4> schemes = {{{Injection::every_n, "1-in-300"},
                                            {Injection::every_tau, "every 780 us"},
                                            {Injection::either, "either"},
                                            {Injection::adaptive, "adaptive"}}};

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

struct Bench {
  BackboneTrace traffic;
  double seconds;
  std::uint64_t seed;

  double drain(double load) const { return traffic.drain_rate(load, seconds); }
  RliPath path(double load, ReferenceGenerator::Options options) const {
    options.capacity_bytes_a_second = drain(load);
    return inject(traffic.packets, RedQueue{{.bytes_per_second = drain(load)}, seed},
                  ReferenceGenerator{options});
  }
  std::vector<DelayMoments> truth(const RliPath& path) const {
    return true_delays(traffic.packets, path.arrivals, traffic.flow_sizes.size());
  }
  RliReceiver received(const RliPath& path, double load, RliEstimator estimator) const {
    return receive(traffic.packets, path,
                   {.estimator = estimator,
                    .capacity_bytes_a_second = drain(load),
                    .flow_memory_bytes = std::size_t{256} << 20,
                    .sender = {}});
  }
};

struct RliErrors {
  RelativeErrors mean, deviation, large;
  double covered = 0;  ///< share of flows whose 95 % interval holds the truth
};

/// Over all flows, or over those marked in `chosen`.
RliErrors errors_of(const RliReceiver& receiver, const std::vector<DelayMoments>& truth,
                    const std::vector<bool>* chosen = nullptr) {
  RliErrors errors;
  double inside = 0, all = 0;
  for (const auto& entry : receiver.flows()) {
    const std::uint32_t flow = lab_flow_number(entry.key);
    const DelayMoments& estimated = entry.value.delays;
    if (estimated.count() == 0 || (chosen && !(*chosen)[flow])) continue;
    errors.mean.add(estimated.mean_ns(), truth[flow].mean_ns());
    if (truth[flow].count() > 100) errors.large.add(estimated.mean_ns(), truth[flow].mean_ns());
    if (truth[flow].count() > 1)
      errors.deviation.add(estimated.deviation_ns(), truth[flow].deviation_ns());
    if (estimated.count() != truth[flow].count()) continue;
    ++all;
    inside += std::abs(estimated.mean_ns() - truth[flow].mean_ns()) <=
              1.96 * entry.value.standard_error_ns() + 1;
  }
  errors.covered = all > 0 ? inside / all : 0;
  return errors;
}

LineChart by_load(std::string title, std::string y) {
  return {.title = std::move(title),
          .x = {.label = "utilisation (%)", .low = 0, .high = 100},
          .y = {.label = std::move(y), .logarithmic = true, .low = {}, .high = {}},
          .series = {}};
}
ChartSeries& series_of(LineChart& chart, const std::string& name) {
  for (ChartSeries& series : chart.series)
    if (series.name == name) return series;
  chart.series.push_back({.name = name, .points = {}});
  return chart.series.back();
}

/// Fig. 5: the more reference packets, the better.
void injection_rates(const Bench& bench, LabReport& report) {
  LineChart chart{
      .title = "RLI Fig. 5: injection rate, 1-in-n",
      .x = {.label = "reference packets per regular packet",
            .logarithmic = true,
            .low = {},
            .high = {}},
      .y = {.label = "median relative error", .logarithmic = true, .low = {}, .high = {}},
      .series = {}};
  for (const double load : {0.20, 0.70}) {
    for (const std::uint32_t n : {1000u, 300u, 100u, 30u, 10u, 3u}) {
      const RliPath path = bench.path(load, {.scheme = Injection::every_n, .packets = n});
      const std::vector<DelayMoments> truth = bench.truth(path);
      for (const RliEstimator estimator : {RliEstimator::interpolate, RliEstimator::queue_aware}) {
        const std::string name =
            fmt::format("{}, {:.0f} % load",
                        estimator == RliEstimator::interpolate ? "RLI" : "queue-aware", 100 * load);
        series_of(chart, name)
            .points.push_back(
                {1.0 / n, errors_of(bench.received(path, load, estimator), truth).mean.median()});
      }
    }
  }
  report.figures.push_back({"injection-rate", chart});
}

/// Fig. 11: against Multiflow and trajectory sampling, on the flows that 0.1 % sampling finds.
struct Comparison {
  double rli, left, aware, multiflow, trajectory;
};
Comparison compare(const Bench& bench, const RliPath& path, double load,
                   const std::vector<DelayMoments>& truth, LineChart* cdfs) {
  const CnfTrial cnf =
      try_cnf(bench.traffic.packets, path.arrivals, bench.traffic.flow_sizes.size(),
              {.sampling = {.share = 0.001, .seed = bench.seed}});
  std::vector<bool> chosen(bench.traffic.flow_sizes.size());
  RelativeErrors multiflow, trajectory;
  for (const CnfFlow& flow : cnf.flows) {
    if (flow.sampled < 2) continue;
    chosen[flow.flow] = true;
    multiflow.add(flow.multiflow, flow.truth);
    trajectory.add(flow.trajectory, flow.truth);
  }
  const auto of = [&](RliEstimator estimator) {
    return errors_of(bench.received(path, load, estimator), truth, &chosen).mean;
  };
  RelativeErrors rli = of(RliEstimator::interpolate), left = of(RliEstimator::left_only),
                 aware = of(RliEstimator::queue_aware);
  if (cdfs)
    cdfs->series = {rli.cdf("RLI"), left.cdf("RLI-L"), aware.cdf("queue-aware (ours)", true),
                    multiflow.cdf("Multiflow"), trajectory.cdf("trajectory sampling")};
  return {rli.median(), left.median(), aware.median(), multiflow.median(), trajectory.median()};
}

void judge(const std::map<std::pair<double, std::string>, double>& medians,
           const Comparison& at_high, double overhead_low, double overhead_high,
           LabReport& report) {
  const auto median = [&](double load, const std::string& name) {
    return medians.at({load, name});
  };
  // RLI section V-B: 10 to 12 % at high and moderate load, with adaptive injection.
  for (const double load : {high, highest})
    report.claims.push_back(
        {fmt::format("adaptive, median error at {:.0f} % load: RLI (ours, queue-aware)",
                     100 * load),
         "10 to 12 %",
         percent(median(load, "RLI adaptive")) + " (" +
             percent(median(load, "queue-aware adaptive")) + ")",
         median(load, "RLI adaptive") <= 0.12});
  for (const double load : {moderate, between})
    report.claims.push_back(
        {fmt::format("adaptive, median error at {:.0f} % load: ours, queue-aware (RLI)",
                     100 * load),
         "10 to 12 %",
         percent(median(load, "queue-aware adaptive")) + " (" +
             percent(median(load, "RLI adaptive")) + ")",
         median(load, "queue-aware adaptive") <= 0.12});
  report.claims.push_back({"median error at 20 % load: queue-aware (RLI adaptive)", "30 %",
                           percent(median(0.20, "queue-aware adaptive")) + " (" +
                               percent(median(0.20, "RLI adaptive")) + ")",
                           median(0.20, "queue-aware adaptive") <= 0.30});
  report.claims.push_back({"RLI against Multiflow at 88 % load, flows of 0.1 % sampling",
                           "10 to 100 times better",
                           fmt::format("{:.0f} times", at_high.multiflow / at_high.rli),
                           at_high.multiflow >= 10 * at_high.rli});
  report.claims.push_back({"RLI against trajectory sampling, the same", "500 times better",
                           fmt::format("{:.0f} times", at_high.trajectory / at_high.rli),
                           at_high.trajectory >= 10 * at_high.rli});
  report.claims.push_back(
      {"share of the link for reference packets, at 20 % and 93 % load (adaptive)",
       "0.1 %, 0.007 %", fmt::format("{:.3f} %, {:.4f} %", overhead_low, overhead_high),
       overhead_low <= 0.15 && overhead_high <= 0.0105});
}

}  // namespace

LabReport run_l7(const LabSetting& setting) {
  const double seconds = setting.quick ? 2 : 15;
  const auto bench_of = [&](double duration) {
    return Bench{backbone_traffic({.model = BackboneModel::sanj(),
                                   .seconds = duration,
                                   .seed = setting.seed,
                                   .cut_at_edges = true}),
                 duration, setting.seed};
  };
  const Bench bench = bench_of(seconds);
  LabReport report;
  ResultTable table{
      .name = "errors",
      .title = "median relative error, %",
      .columns = {"utilisation %", "injection", "reference packets %", "lost %", "RLI",
                  "queue-aware (ours)", "deviation: RLI", "queue-aware", "flows > 100: RLI",
                  "queue-aware", "95 % interval holds: RLI", "queue-aware"},
      .rows = {}};
  LineChart schemes_chart = by_load("RLI Fig. 6: injection schemes", "median relative error");
  LineChart solutions =
      by_load("RLI Fig. 11(b): other solutions, flows of 0.1 % sampling", "median relative error");
  LineChart overhead = by_load("RLI Fig. 13(a): share of an OC-192 link for reference packets",
                               "share of the link (%)");
  LineChart cdfs{.title = "RLI Fig. 7: adaptive injection",
                 .x = {.label = "relative error of a flow's mean delay",
                       .logarithmic = true,
                       .low = 1e-4,
                       .high = 10},
                 .y = {.label = "share of flows", .low = 0, .high = 1},
                 .series = {}};
  LineChart comparison = cdfs;
  comparison.title = "RLI Fig. 11(a): other solutions at 88 % load";

  std::map<std::pair<double, std::string>, double> medians;
  Comparison at_high{};
  double overhead_low = 0, overhead_high = 0, done = 0;
  for (const double load : loads) {
    for (const Scheme& scheme : schemes) {
      const RliPath path = bench.path(load, {.scheme = scheme.injection});
      const std::vector<DelayMoments> truth = bench.truth(path);
      RliErrors rli = errors_of(bench.received(path, load, RliEstimator::interpolate), truth);
      RliErrors aware = errors_of(bench.received(path, load, RliEstimator::queue_aware), truth);
      medians[{load, std::string{"RLI "} + scheme.name}] = rli.mean.median();
      medians[{load, std::string{"queue-aware "} + scheme.name}] = aware.mean.median();
      series_of(schemes_chart, scheme.name).points.push_back({100 * load, rli.mean.median()});
      if (scheme.injection == Injection::every_n)
        series_of(schemes_chart, "1-in-300, queue-aware")
            .points.push_back({100 * load, aware.mean.median()});
      const auto cell = [](double value) { return Cell::decimals(100 * value, 2); };
      table.rows.push_back({Cell::decimals(100 * load, 0), scheme.name, cell(path.injection_rate()),
                            cell(share_lost(path.arrivals)), cell(rli.mean.median()),
                            cell(aware.mean.median()), cell(rli.deviation.median()),
                            cell(aware.deviation.median()), cell(rli.large.median()),
                            cell(aware.large.median()), cell(rli.covered), cell(aware.covered)});
      setting.progress(++done / 25);
      if (scheme.injection != Injection::adaptive) continue;
      const double share = 100 * static_cast<double>(path.references.size()) *
                           reference_packet_bytes / seconds / link_bytes_per_second;
      series_of(overhead, "adaptive").points.push_back({100 * load, share});
      if (load == loads.front()) overhead_low = share;
      overhead_high = share;
      if (load == 0.20 || load == moderate || load == high)
        cdfs.series.push_back(rli.mean.cdf(fmt::format("{:.0f} % load", 100 * load)));
      const Comparison compared =
          compare(bench, path, load, truth, load == high ? &comparison : nullptr);
      if (load == high) at_high = compared;
      series_of(solutions, "RLI").points.push_back({100 * load, compared.rli});
      series_of(solutions, "RLI-L").points.push_back({100 * load, compared.left});
      series_of(solutions, "queue-aware (ours)").points.push_back({100 * load, compared.aware});
      series_of(solutions, "Multiflow").points.push_back({100 * load, compared.multiflow});
      series_of(solutions, "trajectory sampling")
          .points.push_back({100 * load, compared.trajectory});
    }
  }
  judge(medians, at_high, overhead_low, overhead_high, report);
  injection_rates(setting.quick ? bench_of(1) : bench_of(5), report);
  report.tables.push_back(std::move(table));
  for (auto& [name, chart] : {std::pair{"schemes", &schemes_chart},
                              {"load", &cdfs},
                              {"solutions", &comparison},
                              {"solutions-by-load", &solutions},
                              {"overhead", &overhead}})
    report.figures.push_back({name, *chart});
  return report;
}

}  // namespace sojourn
