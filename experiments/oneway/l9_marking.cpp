// L9: alternate marking on a congested link, beside the numbers of MARKING section 4.

#include "experiments/oneway/l9_marking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/oneway/l9_runs.h"

namespace sojourn {
namespace {

std::string number(double value) { return fmt::format("{:.6g}", value); }
std::string nanoseconds(std::int64_t ns) { return fmt::format("{} ns", ns); }
std::string packets(std::uint64_t count) {
  return fmt::format("{} packet{}", count, count == 1 ? "" : "s");
}

/// Worst errors over all parts of the experiment.
struct Worst {
  std::uint64_t loss = 0;
  std::int64_t delay_ns = 0;
  std::uint64_t losses = 0, delays = 0;
  void add(const PathScore& score) {
    loss = std::max(loss, score.loss_error);
    delay_ns = std::max(delay_ns, score.delay_error_ns);
    losses += score.losses;
    delays += score.delays;
  }
};

void add_congestion(const LabSetting& setting, LabReport& report, Worst& worst) {
  ResultTable table{
      "congestion",
      "Loss and delay per interval under congestion (Fig. 6)",
      {"bursts", "start_s", "sent", "lost", "true_lost", "delay_ns", "true_delay_ns", "not_valid"},
      {}};
  LineChart losses{"Packets lost per second (MARKING Fig. 6)",
                   {.label = "time (s)"},
                   {.label = "packets lost per second"},
                   {}};
  LineChart delays{"Delay between the points (MARKING Fig. 6)",
                   {.label = "time (s)"},
                   {.label = "delay (us)", .low = 0, .high = 350},
                   {}};
  PathScore scores[2];
  const double gaps[] = {21'000, 20'950};
  const char* const names[] = {"occasional", "frequent"};
  for (int i = 0; i < 2; ++i) {
    const CongestionRun run = congestion(setting, gaps[i]);
    scores[i] = run.score;
    worst.add(run.score);
    ChartSeries loss{.name = fmt::format("{} bursts", names[i]), .points = {}}, delay = loss;
    for (const CongestedInterval& one : run.intervals) {
      if (one.lost)
        loss.points.push_back({one.start_s, static_cast<double>(*one.lost) / run.interval_s});
      if (one.delay_ns)
        delay.points.push_back({one.start_s, static_cast<double>(*one.delay_ns) / 1e3});
      table.rows.push_back({names[i], Cell::number(one.start_s, number(one.start_s)), one.sent,
                            one.lost, one.true_lost, one.delay_ns, one.true_delay_ns,
                            one.faults.empty() ? Cell::nothing() : Cell{one.faults}});
    }
    losses.series.push_back(loss);
    delays.series.push_back(delay);
  }
  delays.series.push_back({.name = "queue limit",
                           .points = {{0, 300}, {delays.series[1].points.back().x, 300}},
                           .dashed = true,
                           .markers = false});
  double most = 0;
  for (int i = 0; i < 2; ++i)
    for (const ChartPoint& point : delays.series[static_cast<std::size_t>(i)].points)
      most = std::max(most, point.y);
  const auto rate = [](const PathScore& score) {
    return static_cast<double>(score.lost) / static_cast<double>(score.sent);
  };
  const auto mean_us = [](const PathScore& score) {
    return score.delay_sum_ns / static_cast<double>(std::max<std::uint64_t>(1, score.delays)) / 1e3;
  };
  report.claims.push_back({"frequent bursts lose more than occasional ones", "more",
                           fmt::format("{:.2e} against {:.2e}", rate(scores[1]), rate(scores[0])),
                           rate(scores[1]) > rate(scores[0])});
  report.claims.push_back({"... and delay more", "more",
                           fmt::format("{:.0f} us against {:.0f} us on average", mean_us(scores[1]),
                                       mean_us(scores[0])),
                           mean_us(scores[1]) > mean_us(scores[0])});
  report.claims.push_back({"the delay is bounded by the queue", "300 us",
                           fmt::format("{:.1f} us at most", most), most <= 300});
  report.tables.push_back(table);
  report.figures.push_back({"congestion-loss", losses});
  report.figures.push_back({"congestion-delay", delays});
}

void add_accuracy(const LabSetting& setting, LabReport& report, Worst& worst) {
  ResultTable losses{"loss",
                     "Loss by overload (Fig. 7), queue 300 us",
                     {"overload_percent", "expected_percent", "measured_percent", "intervals",
                      "worst_error_packets"},
                     {}};
  ResultTable delays{"delay",
                     "Delay by queue length (Fig. 7), 5 % overload",
                     {"queue_us", "measured_us", "pulses", "worst_error_ns"},
                     {}};
  LineChart loss_chart{"Loss by overload (MARKING Fig. 7)",
                       {.label = "traffic above the link's rate (%)"},
                       {.label = "loss (%)"},
                       {}};
  LineChart delay_chart{"Delay by queue (MARKING Fig. 7)",
                        {.label = "queue (us)", .logarithmic = true},
                        {.label = "measured delay (us)", .logarithmic = true},
                        {}};
  ChartSeries measured{.name = "measured", .points = {}},
      expected{.name = "expected", .points = {}, .dashed = true, .markers = false};
  for (const int percent : {0, 10, 20, 30, 40, 50}) {
    const PathScore score = overload(setting, 1 + percent / 100.0, 300'000);
    worst.add(score);
    const double right = 100.0 * percent / (100.0 + percent),
                 found = 100.0 * static_cast<double>(score.lost) / static_cast<double>(score.sent);
    measured.points.push_back({static_cast<double>(percent), found});
    expected.points.push_back({static_cast<double>(percent), right});
    losses.rows.push_back({percent, Cell::decimals(right, 3), Cell::decimals(found, 3),
                           score.losses, score.loss_error});
  }
  loss_chart.series = {measured, expected};
  measured.points.clear();
  expected.points.clear();
  for (const std::int64_t queue_us : {3, 10, 30, 100, 300, 1000}) {
    const PathScore score = overload(setting, 1.05, queue_us * 1000);
    worst.add(score);
    const double found =
        score.delay_sum_ns / static_cast<double>(std::max<std::uint64_t>(1, score.delays)) / 1e3;
    measured.points.push_back({static_cast<double>(queue_us), found});
    expected.points.push_back({static_cast<double>(queue_us), static_cast<double>(queue_us)});
    delays.rows.push_back({queue_us, Cell::decimals(found, 3), score.delays, score.delay_error_ns});
  }
  expected.name = "queue";
  delay_chart.series = {measured, expected};
  report.tables.push_back(losses);
  report.tables.push_back(delays);
  report.figures.push_back({"accuracy-loss", loss_chart});
  report.figures.push_back({"accuracy-delay", delay_chart});
}

void add_clocks(const LabSetting& setting, LabReport& report, Worst& worst) {
  ResultTable table{
      "clock",
      "Clock offset, in intervals, that the collector is not told of: 24 intervals each",
      {"method", "offset", "losses_given", "delays_given", "worst_loss_error",
       "worst_delay_error_ns"},
      {}};
  LineChart chart{"Intervals whose loss is given, by clock offset",
                  {.label = "clock offset (intervals)"},
                  {.label = "share given (the rest is called invalid)", .low = 0, .high = 1.05},
                  {}};
  bool kept_within = true, refused_beyond = true;
  for (const MarkingMethod method :
       {MarkingMethod::step, MarkingMethod::double_, MarkingMethod::multiplexed}) {
    const double room = method == MarkingMethod::multiplexed ? 0.25 : 0.5;
    ChartSeries series{.name = std::string{name_of(method)}, .points = {}};
    for (int step = -28; step <= 28; ++step) {
      const double offset = step * 0.05;
      const PathScore score =
          steady(setting, {.method = method, .clock = {.offset_ns = offset * steady_ns}}).score;
      worst.add(score);
      const double share = static_cast<double>(score.losses) / static_cast<double>(score.intervals);
      series.points.push_back({offset, share});
      table.rows.push_back({name_of(method), Cell::decimals(offset, 2), score.losses, score.delays,
                            score.loss_error, score.delay_error_ns});
      // The delay and its jitter, 0.02, need room as well.
      if (std::abs(offset) < room - 0.06) kept_within &= share > 0.8;
      if (std::abs(offset) > room + 0.02) refused_beyond &= score.losses + score.delays == 0;
    }
    chart.series.push_back(series);
  }
  report.claims.push_back({"within the band (L/2, multiplexed L/4) figures are given",
                           "on the order of L/2", kept_within ? "yes, at every offset" : "no",
                           kept_within});
  report.claims.push_back({"beyond it none is, though nobody says that the clock is wrong",
                           std::nullopt, refused_beyond ? "none, up to 1.4 L" : "some",
                           refused_beyond});

  const PathScore drifting =
      steady(setting,
             {.clock = {.offset_ns = -0.004 * static_cast<double>(l9_origin_ns), .drift = 0.004},
              .intervals = 160})
          .score;
  worst.add(drifting);
  report.claims.push_back(
      {"a clock that drifts out of the band (0 to 0.64 L): exact, then invalid", std::nullopt,
       fmt::format("{} of {} given, worst error {}", drifting.losses, drifting.intervals,
                   packets(drifting.loss_error)),
       drifting.loss_error == 0 && drifting.losses > 20 && drifting.losses < 80});
  report.tables.push_back(table);
  report.figures.push_back({"clock-offset", chart});
}

void add_edges(const LabSetting& setting, LabReport& report, Worst& worst) {
  const PathScore reordered =
      steady(setting, {.method = MarkingMethod::double_, .most_delay = 0.2}).score;
  worst.add(reordered);
  report.claims.push_back(
      {"packets that overtake each other across the edges (delays 0 to 0.2 L, double)",
       std::nullopt,
       fmt::format("{} of {} given, worst error {}", reordered.losses, reordered.intervals,
                   packets(reordered.loss_error)),
       reordered.loss_error == 0 && reordered.losses == reordered.intervals});
  const auto [silent, idle] = steady(setting, {.on = 0.5, .intervals = 60});
  worst.add(silent);
  report.claims.push_back(
      {"an idle flow has idle intervals, not intervals without loss", std::nullopt,
       fmt::format("{} idle, {} measured of {} with packets", idle, silent.losses,
                   silent.intervals),
       idle > 0 && silent.loss_error == 0 && silent.losses <= silent.intervals});
  const PathScore changed =
      steady(setting, {.intervals = 48, .change_to = MarkingInterval{0}}).score;
  worst.add(changed);
  report.claims.push_back({"the interval changes from 250 ms to 1 s under way", std::nullopt,
                           fmt::format("{} of {} given, worst error {}", changed.losses,
                                       changed.intervals, packets(changed.loss_error)),
                           changed.loss_error == 0 && changed.losses + 4 >= changed.intervals});
}

}  // namespace

LabReport run_l9(const LabSetting& setting) {
  LabReport report;
  Worst worst;
  add_accuracy(setting, report, worst);
  setting.progress(0.2);
  add_congestion(setting, report, worst);
  setting.progress(0.8);
  add_clocks(setting, report, worst);
  add_edges(setting, report, worst);
  report.claims.insert(
      report.claims.begin(),
      {Claim{"worst error of a loss that was given, in all parts", "0, sometimes 1 packet",
             fmt::format("{} in {} intervals", packets(worst.loss), worst.losses),
             worst.loss <= 1 && worst.losses > 0},
       Claim{"worst error of a delay that was given", "below 100 ns",
             fmt::format("{} in {} pulses", nanoseconds(worst.delay_ns), worst.delays),
             worst.delay_ns < 100 && worst.delays > 0}});
  setting.progress(1);
  return report;
}

}  // namespace sojourn
