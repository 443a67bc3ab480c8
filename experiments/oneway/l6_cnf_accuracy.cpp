// L6: how accurate CNF's estimators are (CNF Fig. 3, 4, 6, 9 to 11 and 13).

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/oneway/cnf_trial.h"
#include "experiments/oneway/oneway_experiments.h"

namespace sojourn {
namespace {

constexpr double sampling_share = 0.01;
constexpr double mean_delay_target_ns = 3.5e6;  // CNF section IV-C: drop-tail on CHIC, no loss
constexpr std::uint64_t large = 100;            // packets; "flows of size greater than 100"

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// The traffic of one run, and its queues.
struct Bench {
  BackboneTrace traffic;
  double seconds;
  double scale;
  std::uint64_t seed;

  std::size_t flows() const { return traffic.flow_sizes.size(); }
  std::size_t room(double packets) const { return static_cast<std::size_t>(packets * scale); }
  DropTailQueue drop_tail(double rate) const {
    return DropTailQueue{{.capacity = room(10'000), .bytes_per_second = rate}};
  }
  RedQueue red(double rate) const {
    return RedQueue{{.capacity = room(10'000),
                     .bytes_per_second = rate,
                     .least = 4000 * scale,
                     .most = 9000 * scale},
                    seed};
  }
  double rate_for_delay(double mean_ns) const {
    const double rate = traffic.drain_rate(1, seconds);
    return drain_rate_for(mean_ns, rate * 0.9, rate * 2, 10, [&](double bytes_per_second) {
      return mean_delay_ns(traffic.packets,
                           pass_through(traffic.packets, drop_tail(bytes_per_second)));
    });
  }
  double rate_for_loss(double share) const {
    const double rate = traffic.drain_rate(1, seconds);
    return drain_rate_for(share, rate * 0.85, rate * 1.4, 9, [&](double bytes_per_second) {
      return share_lost(pass_through(traffic.packets, red(bytes_per_second)));
    });
  }
  CnfTrial trial(const Arrivals& arrivals, double share, bool of_flows,
                 bool interpolate = false) const {
    return try_cnf(traffic.packets, arrivals, flows(),
                   {.sampling = {.share = share, .flows = of_flows, .seed = seed},
                    .interpolate = interpolate});
  }
  /// As `sojourn oneway` does unless told otherwise.  The paper drops the largest 1 % of the
  /// delays; where those are real, as here, a margin without them cannot hold what they add.
  CnfTrial trial_of_margins(const Arrivals& arrivals, double share, bool of_flows) const {
    return try_cnf(
        traffic.packets, arrivals, flows(),
        {.sampling = {.share = share, .flows = of_flows, .seed = seed}, .drop_outliers = 0});
  }
};

LineChart cdf_chart(std::string title) {
  return {.title = std::move(title),
          .x = {.label = "relative error of a flow's mean delay",
                .logarithmic = true,
                .low = 1e-3,
                .high = 10},
          .y = {.label = "share of flows", .low = 0, .high = 1},
          .series = {}};
}

RelativeErrors probe_errors(const CnfTrial& trial) {
  RelativeErrors errors;
  for (const CnfFlow& flow : trial.flows)
    if (flow.sampled > 1) errors.add(trial.probe_mean, flow.truth);
  return errors;
}

/// Fig. 3: one number for all flows against one for each.
void active_probes(const CnfTrial& trial, LabReport& report) {
  RelativeErrors multiflow = errors_of(trial, &CnfFlow::multiflow), probes = probe_errors(trial);
  report.claims.push_back(
      {"Multiflow against the average of active probes (drop-tail): median error",
       "17 % against 67 %", percent(multiflow.median()) + " against " + percent(probes.median()),
       probes.median() >= 2 * multiflow.median()});
  LineChart chart = cdf_chart("CNF Fig. 3: Multiflow and active probes, drop-tail");
  chart.series = {multiflow.cdf("Multiflow"), probes.cdf("active probes")};
  report.figures.push_back({"probes", chart});
}

/// Fig. 4: the distribution of errors, by delay model and way of sampling.
void distributions(const CnfTrial& weibull, const CnfTrial& drop_tail, std::string name,
                   std::string title, LabReport& report) {
  LineChart chart = cdf_chart(std::move(title));
  chart.series = {errors_of(weibull, &CnfFlow::multiflow).cdf("Multiflow, Weibull"),
                  errors_of(weibull, &CnfFlow::endpoint).cdf("Endpoint, Weibull"),
                  errors_of(drop_tail, &CnfFlow::multiflow).cdf("Multiflow, drop-tail", true),
                  errors_of(drop_tail, &CnfFlow::endpoint).cdf("Endpoint, drop-tail", true),
                  errors_of(drop_tail, &CnfFlow::nearby).cdf("nearby (ours), drop-tail", true)};
  report.figures.push_back({std::move(name), chart});
}

/// Fig. 6: the median error by the size of the flow.
void by_size(const CnfTrial& trial, std::string name, std::string title, LabReport& report) {
  LineChart chart{.title = std::move(title),
                  .x = {.label = "packets of the flow", .logarithmic = true, .low = {}, .high = {}},
                  .y = {.label = "median relative error", .low = 0, .high = {}},
                  .series = {{.name = "Endpoint", .points = {}},
                             {.name = "Multiflow", .points = {}},
                             {.name = "hybrid", .points = {}},
                             {.name = "nearby (ours)", .points = {}}}};
  const std::array<double CnfFlow::*, 4> estimators = {&CnfFlow::endpoint, &CnfFlow::multiflow,
                                                       &CnfFlow::hybrid, &CnfFlow::nearby};
  for (std::uint64_t size = 2; size < 2000; size = size < 8 ? size + 1 : size * 3 / 2) {
    const std::uint64_t end = size < 8 ? size + 1 : size * 3 / 2;
    for (std::size_t e = 0; e < estimators.size(); ++e) {
      RelativeErrors errors;
      for (const CnfFlow& flow : trial.flows)
        if (flow.sampled > 1 && flow.size >= size && flow.size < end)
          errors.add(flow.*estimators[e], flow.truth);
      if (errors.count() >= 10)
        chart.series[e].points.push_back({static_cast<double>(size), errors.median()});
    }
  }
  report.figures.push_back({std::move(name), chart});
}

/// Two rows of the table for each path: all flows with two samples, and the large ones.
void tabulate(const std::string& path, const CnfTrial& trial, const CnfTrial& margins,
              ResultTable& table) {
  const auto percent = [](double share) { return Cell::decimals(100 * share, 1); };
  for (const std::uint64_t least : {std::uint64_t{2}, large}) {
    std::vector<Cell> row = {path, least == large ? "> 100" : "all"};
    row.push_back(errors_of(trial, &CnfFlow::multiflow, least).count());
    for (double CnfFlow::* const estimator :
         {&CnfFlow::endpoint, &CnfFlow::multiflow, &CnfFlow::hybrid, &CnfFlow::nearby,
          &CnfFlow::trajectory})
      row.push_back(percent(errors_of(trial, estimator, least).median()));
    row.push_back(
        percent(deviation_errors_of(trial, &CnfFlow::endpoint_deviation, least).median()));
    row.push_back(
        percent(deviation_errors_of(trial, &CnfFlow::multiflow_deviation, least).median()));
    const bool all = least != large;
    row.push_back(
        all ? percent(covered_share(margins, &CnfFlow::multiflow, &CnfFlow::multiflow_margin))
            : Cell::nothing());
    row.push_back(all ? percent(covered_share(margins, &CnfFlow::nearby, &CnfFlow::nearby_margin))
                      : Cell::nothing());
    table.rows.push_back(std::move(row));
  }
}

/// How well our trace matches the figures that CNF states for its own.
ResultTable trace_table(const Bench& bench, const CnfTrial& trial, double load) {
  ResultTable table{
      .name = "trace",
      .title = "the trace and what drop-tail makes of it, beside what CNF says of CHIC",
      .columns = {"", "paper", "ours"},
      .rows = {}};
  std::vector<double> seconds, delays;
  std::size_t few = 0;
  for (const CnfFlow& flow : trial.flows) {
    if (flow.sampled < 2) continue;
    seconds.push_back(flow.record_seconds);
    delays.push_back(flow.truth * 1e-6);
    few += flow.sampled < 4;
  }
  const auto three = [](std::vector<double>& values) {
    std::ranges::sort(values);
    const auto at = [&](double q) {
      return values.empty()
                 ? 0
                 : values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
    };
    return fmt::format("{:.2f}, {:.1f}, {:.1f}", at(0.1), at(0.5), at(0.9));
  };
  const auto millions = [](std::size_t count) {
    return Cell::number(std::uint64_t{count},
                        fmt::format("{:.2f} M", static_cast<double>(count) * 1e-6));
  };
  table.rows = {{"packets in 60 s", "about 13 M", millions(bench.traffic.packets.size())},
                {"flows", "about 1 M", millions(bench.flows())},
                {"flows of which 1 % sampling finds two packets", 16178, seconds.size()},
                {"... of which it finds 2 or 3 packets (the paper: small flows)", 5436, few},
                {"their durations, s, at 10, 50, 90 %", "0.53, 20, 51", three(seconds)},
                {"their mean delays, ms, at 10, 50, 90 %", "0.125, 3, 8.4", three(delays)},
                {"mean delay of packets, ms", Cell::decimals(3.5, 1),
                 Cell::decimals(trial.probe_mean * 1e-6, 2)},
                {"load of the queue", Cell::nothing("not stated"), Cell::decimals(load, 3)}};
  return table;
}

void large_flows(const std::string& path, const CnfTrial& trial, LabReport& report) {
  const double multiflow = errors_of(trial, &CnfFlow::multiflow, large).median();
  const double trajectory = errors_of(trial, &CnfFlow::trajectory, large).median();
  report.claims.push_back({"Multiflow, median error, flows > 100 packets, " + path, "at most 20 %",
                           percent(multiflow), multiflow <= 0.20});
  report.claims.push_back(
      {"trajectory sampling is worse than Multiflow, flows > 100 packets, " + path, "2 to 3 times",
       fmt::format("{:.1f} times ({})", trajectory / multiflow, percent(trajectory)),
       trajectory >= 2 * multiflow});
}

void small_flows(const CnfTrial& trial, const std::string& path, LabReport& report) {
  RelativeErrors endpoint, multiflow;
  for (const CnfFlow& flow : trial.flows) {
    if (flow.size >= 4 || flow.sampled < 2) continue;
    endpoint.add(flow.endpoint, flow.truth);
    multiflow.add(flow.multiflow, flow.truth);
  }
  report.claims.push_back({"flows under 4 packets, flow sampling, mean error, " + path,
                           "Endpoint is better than Multiflow",
                           percent(endpoint.mean()) + " against " + percent(multiflow.mean()),
                           endpoint.mean() < multiflow.mean()});
}

/// Fig. 9: what Multiflow could gain if every packet's time were known.
void interpolation(const CnfTrial& trial, LabReport& report) {
  RelativeErrors line = errors_of(trial, &CnfFlow::interpolated),
                 multiflow = errors_of(trial, &CnfFlow::multiflow),
                 trajectory = errors_of(trial, &CnfFlow::trajectory);
  report.claims.push_back(
      {"interpolated < Multiflow < trajectory (RED without loss): median error", "1.5, 15, 62 %",
       percent(line.median()) + ", " + percent(multiflow.median()) + ", " +
           percent(trajectory.median()),
       line.median() < multiflow.median() && multiflow.median() < trajectory.median()});
  LineChart chart =
      cdf_chart("CNF Fig. 9: interpolated, Multiflow and trajectory, RED without loss");
  chart.series = {line.cdf("interpolated (reference)"), multiflow.cdf("Multiflow"),
                  trajectory.cdf("trajectory sampling"),
                  errors_of(trial, &CnfFlow::nearby).cdf("nearby (ours)", true)};
  report.figures.push_back({"interpolated", chart});
}

std::vector<ChartSeries> quartile_series(const std::string& name) {
  return {{.name = name, .points = {}},
          {.name = name + ", 25 %", .points = {}, .dashed = true, .markers = false},
          {.name = name + ", 75 %", .points = {}, .dashed = true, .markers = false}};
}
void add_quartiles(std::vector<ChartSeries>& series, std::size_t first, double x,
                   RelativeErrors errors) {
  if (errors.count() < 10) return;
  series[first].points.push_back({x, errors.median()});
  series[first + 1].points.push_back({x, errors.quantile(0.25)});
  series[first + 2].points.push_back({x, errors.quantile(0.75)});
}

/// Fig. 10: the sampling rate, RED without loss.
void sampling_rates(const Bench& bench, const Arrivals& arrivals, LabReport& report) {
  LineChart chart{
      .title = "CNF Fig. 10: sampling rate, flows > 100 packets, RED without loss",
      .x = {.label = "share of packets sampled", .logarithmic = true, .low = {}, .high = {}},
      .y = {.label = "relative error of Multiflow", .low = 0, .high = {}},
      .series = quartile_series("Multiflow")};
  for (const double share : {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1})
    add_quartiles(chart.series, 0, share,
                  errors_of(bench.trial(arrivals, share, false), &CnfFlow::multiflow, large));
  report.figures.push_back({"sampling", chart});
}

/// Fig. 11 and 13: loss, by a slower and slower RED queue.
void loss_rates(const Bench& bench, const LabSetting& setting, LabReport& report) {
  LineChart means{.title = "CNF Fig. 11: packet loss, flows > 100 packets, RED",
                  .x = {.label = "packets lost (%)", .low = {}, .high = {}},
                  .y = {.label = "relative error of the mean", .low = 0, .high = {}},
                  .series = quartile_series("Multiflow")};
  LineChart deviations = means;
  deviations.title = "CNF Fig. 13: standard deviation and packet loss, flows > 100 packets, RED";
  deviations.y.label = "relative error of the deviation";
  for (ChartSeries& series : quartile_series("Endpoint"))
    deviations.series.push_back(std::move(series));
  double first = 0, last = 0;
  const std::array<double, 6> losses = {0.0, 0.0098, 0.0211, 0.0291, 0.0392, 0.0493};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double rate = losses[i] == 0 ? bench.rate_for_delay(mean_delay_target_ns)
                                       : bench.rate_for_loss(losses[i]);
    const Arrivals arrivals = pass_through(bench.traffic.packets, bench.red(rate));
    const CnfTrial trial = bench.trial(arrivals, sampling_share, false);
    const double lost = 100 * share_lost(arrivals);
    RelativeErrors errors = errors_of(trial, &CnfFlow::multiflow, large);
    (i == 0 ? first : last) = errors.median();
    add_quartiles(means.series, 0, lost, std::move(errors));
    add_quartiles(deviations.series, 0, lost,
                  deviation_errors_of(trial, &CnfFlow::multiflow_deviation, large));
    add_quartiles(deviations.series, 3, lost,
                  deviation_errors_of(trial, &CnfFlow::endpoint_deviation, large));
    setting.progress(0.5 + 0.5 * static_cast<double>(i + 1) / losses.size());
  }
  report.claims.push_back(
      {"Multiflow's error falls as loss rises from 0 to 4.93 % (RED, flows > 100)", "it falls",
       percent(first) + " to " + percent(last), last < first});
  report.figures.push_back({"loss", means});
  report.figures.push_back({"deviation", deviations});
}

}  // namespace

LabReport run_l6(const LabSetting& setting) {
  const double seconds = 60, scale = setting.quick ? 0.25 : 1;
  const Bench bench{backbone_traffic({.model = BackboneModel::chic(),
                                      .seconds = seconds,
                                      .scale = scale,
                                      .seed = setting.seed,
                                      .cut_at_edges = true}),
                    seconds, scale, setting.seed};
  const std::span<const LabPacket> packets = bench.traffic.packets;
  const double rate = bench.rate_for_delay(mean_delay_target_ns);
  LabReport report;
  ResultTable table{.name = "errors",
                    .title = "median relative error, %, flows with two samples or more",
                    .columns = {"path, sampling", "flows", "count", "Endpoint", "Multiflow",
                                "hybrid", "nearby (ours)", "trajectory", "deviation: Endpoint",
                                "Multiflow", "95 % interval holds: Multiflow", "nearby"},
                    .rows = {}};

  const Arrivals weibull = pass_through(packets, WeibullPath{{}, setting.seed});
  const CnfTrial weibull_packets = bench.trial(weibull, sampling_share, false);
  const CnfTrial weibull_flows = bench.trial(weibull, sampling_share, true);
  setting.progress(0.15);
  const Arrivals drop_tail = pass_through(packets, bench.drop_tail(rate));
  const CnfTrial queue_packets = bench.trial(drop_tail, sampling_share, false);
  const CnfTrial queue_flows = bench.trial(drop_tail, sampling_share, true);
  setting.progress(0.3);
  const Arrivals red = pass_through(packets, bench.red(rate));
  const CnfTrial red_packets = bench.trial(red, sampling_share, false, true);
  setting.progress(0.4);

  large_flows("Weibull", weibull_packets, report);
  large_flows("drop-tail", queue_packets, report);
  large_flows("RED", red_packets, report);
  small_flows(weibull_flows, "Weibull", report);
  small_flows(queue_flows, "drop-tail", report);
  active_probes(queue_packets, report);
  interpolation(red_packets, report);
  distributions(weibull_packets, queue_packets, "packet-sampling",
                "CNF Fig. 4(a): packet sampling, 1 %", report);
  distributions(weibull_flows, queue_flows, "flow-sampling", "CNF Fig. 4(b): flow sampling, 1 %",
                report);
  by_size(weibull_flows, "size-flow-sampling", "CNF Fig. 6(a): flow sampling, Weibull", report);
  by_size(weibull_packets, "size-packet-sampling", "CNF Fig. 6(b): packet sampling, Weibull",
          report);
  tabulate("Weibull, packets", weibull_packets,
           bench.trial_of_margins(weibull, sampling_share, false), table);
  tabulate("Weibull, flows", weibull_flows, bench.trial_of_margins(weibull, sampling_share, true),
           table);
  tabulate("drop-tail, packets", queue_packets,
           bench.trial_of_margins(drop_tail, sampling_share, false), table);
  tabulate("drop-tail, flows", queue_flows, bench.trial_of_margins(drop_tail, sampling_share, true),
           table);
  tabulate("RED, packets", red_packets, bench.trial_of_margins(red, sampling_share, false), table);
  report.tables.push_back(
      trace_table(bench, queue_packets, bench.traffic.drain_rate(1, seconds) / rate));
  report.tables.push_back(std::move(table));
  sampling_rates(bench, red, report);
  loss_rates(bench, setting, report);
  return report;
}

}  // namespace sojourn
