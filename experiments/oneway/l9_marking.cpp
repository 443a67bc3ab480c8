// L9: alternate marking on a congested link, beside the numbers of MARKING section 4.

#include "experiments/oneway/l9_marking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "experiments/oneway/l9_path.h"

namespace sojourn {
namespace {

constexpr std::int64_t origin_ns = 1'700'000'000'000'000'000;
constexpr double link_bits_a_ns = 10;  // 10 Gbit/s

/// A link with a queue of bounded length: who finds it full is lost.
class Link {
 public:
  explicit Link(std::int64_t longest_ns, double backlog_ns = 0)
      : longest_ns_(static_cast<double>(longest_ns)), backlog_ns_(backlog_ns) {}

  std::optional<std::int64_t> pass(double now_ns, double bits) {
    backlog_ns_ = std::max(0.0, backlog_ns_ - (now_ns - last_ns_));
    last_ns_ = now_ns;
    const double own = bits / link_bits_a_ns;
    if (backlog_ns_ + own > longest_ns_) return std::nullopt;
    backlog_ns_ += own;
    return static_cast<std::int64_t>(backlog_ns_);
  }

 private:
  double longest_ns_, backlog_ns_, last_ns_ = 0;
};

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

/// MARKING section 4.1: 9.7 Gbit/s of 64-byte packets, and packets of 64 to 1518 bytes every
/// `gap_ns`, into a link of 10 Gbit/s with a queue of 300 us.  Bits are those of the frames.
PathScore congestion(const LabSetting& setting, double gap_ns, ChartSeries& loss,
                     ChartSeries& delay, ResultTable& table, std::string_view name, Worst& worst) {
  const MarkingInterval length{setting.quick ? -6 : -2};
  const double second_ns = static_cast<double>(to_ns(length.length()));
  const int intervals = setting.quick ? 8 : 20;
  MarkedPath path{MarkingMethod::multiplexed, length, {}};
  Link link{300'000, setting.quick ? 299'000.0 : 200'000.0};
  std::mt19937_64 random{setting.seed};
  std::uniform_int_distribution<int> size{64, 1518};
  constexpr double small_bits = 64 * 8, small_gap = small_bits / 9.7;
  double next_small = 0, next_large = gap_ns * 0.5;
  const double end = second_ns * intervals;
  while (std::min(next_small, next_large) < end) {
    const bool small = next_small <= next_large;
    double& next = small ? next_small : next_large;
    const double bits = small ? small_bits : size(random) * 8.0;
    path.send(origin_ns + static_cast<std::int64_t>(next), link.pass(next, bits));
    next += small ? small_gap : gap_ns;
  }
  for (const MarkingResult& result : path.finish()) {
    const double at = static_cast<double>(to_ns(result.start()) - origin_ns) / 1e9;
    const double per_second = 1e9 / second_ns;
    if (result.lost) loss.points.push_back({at, static_cast<double>(*result.lost) * per_second});
    if (result.delay) delay.points.push_back({at, static_cast<double>(to_ns(*result.delay)) / 1e3});
    const PathTruth* const truth = path.truth(result);
    table.rows.push_back({name, Cell::number(at, number(at)), result.sent, result.lost,
                          truth ? Cell{truth->lost} : Cell{},
                          result.delay ? Cell{to_ns(*result.delay)} : Cell{},
                          truth ? Cell{truth->pulse_delay_ns} : Cell{}, result.faults.text()});
  }
  worst.add(path.score());
  return path.score();
}

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
    ChartSeries loss{.name = fmt::format("{} bursts", names[i]), .points = {}}, delay = loss;
    scores[i] = congestion(setting, gaps[i], loss, delay, table, names[i], worst);
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

/// 512-byte packets at `load` of the link's rate into a queue of `queue_ns`.
PathScore overload(const LabSetting& setting, double load, std::int64_t queue_ns, Worst& worst) {
  const MarkingInterval length{setting.quick ? -6 : -2};
  MarkedPath path{MarkingMethod::multiplexed, length, {}};
  Link link{queue_ns};
  std::mt19937_64 random{setting.seed};
  std::uniform_real_distribution<double> uniform{0.5, 1.5};
  constexpr double bits = 512 * 8;
  const double end = static_cast<double>(to_ns(length.length())) * 6;
  for (double at = 0; at < end; at += bits / link_bits_a_ns / load * uniform(random))
    path.send(origin_ns + static_cast<std::int64_t>(at), link.pass(at, bits));
  path.finish();
  worst.add(path.score());
  return path.score();
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
    const PathScore score = overload(setting, 1 + percent / 100.0, 300'000, worst);
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
    const PathScore score = overload(setting, 1.05, queue_us * 1000, worst);
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

/// Steady traffic of 400 packets an interval, up to 2 % of an interval on the way, one in fifty
/// lost.
struct Steady {
  MarkingMethod method = MarkingMethod::multiplexed;
  PathClock clock = {};
  Duration clock_error = {};
  double most_delay = 0.02;  ///< in intervals; each packet draws its own, so they overtake
  double on = 1;             ///< share of intervals in which the flow speaks
  int intervals = 24;
  std::optional<MarkingInterval> change_to = {};
};
constexpr MarkingInterval steady_length{-2};
constexpr double steady_ns = 250e6;

PathScore steady(const LabSetting& setting, const Steady& how, Worst& worst,
                 std::uint64_t* idle = nullptr) {
  MarkedPath path{how.method, steady_length, how.clock, how.clock_error};
  std::mt19937_64 random{setting.seed};
  std::uniform_real_distribution<double> uniform;
  if (how.change_to)
    path.change_interval(*how.change_to,
                         timestamp_from_ns(origin_ns + static_cast<std::int64_t>(4 * steady_ns)));
  int speaks_in = -1;
  bool speaks = true;
  for (double at = 0; at < how.intervals; at += -std::log(1 - uniform(random)) / 400) {
    if (const int interval = static_cast<int>(at); interval != speaks_in) {
      speaks_in = interval;
      speaks = interval == 0 || uniform(random) < how.on;
    }
    const bool arrives = uniform(random) >= 0.02;
    const auto delay = static_cast<std::int64_t>(uniform(random) * how.most_delay * steady_ns);
    if (speaks)
      path.send(origin_ns + static_cast<std::int64_t>(at * steady_ns),
                arrives ? std::optional{delay} : std::nullopt);
  }
  for (const MarkingResult& result : path.finish())
    if (idle && result.faults.has(MarkingFault::idle))
      *idle += static_cast<std::uint64_t>(result.intervals);
  worst.add(path.score());
  return path.score();
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
          steady(setting, {.method = method, .clock = {.offset_ns = offset * steady_ns}}, worst);
      const double share = static_cast<double>(score.losses) / static_cast<double>(score.intervals);
      series.points.push_back({offset, share});
      table.rows.push_back({name_of(method), Cell::decimals(offset, 2), score.losses, score.delays,
                            score.loss_error, score.delay_error_ns});
      // The delay and its jitter, 0.02, need a place as well.
      if (std::abs(offset) < room - 0.06) kept_within &= share > 0.8;
      if (std::abs(offset) > room + 0.02) refused_beyond &= score.losses + score.delays == 0;
    }
    chart.series.push_back(series);
  }
  report.claims.push_back({"within the band (L/2, multiplexed L/4) figures are given",
                           "on the order of L/2", kept_within ? "yes, at every offset" : "no",
                           kept_within});
  report.claims.push_back({"beyond it none is, though nobody says that the clock is wrong", "-",
                           refused_beyond ? "none, up to 1.4 L" : "some", refused_beyond});

  const PathScore drifting =
      steady(setting,
             {.clock = {.offset_ns = -0.004 * static_cast<double>(origin_ns), .drift = 0.004},
              .intervals = 160},
             worst);
  report.claims.push_back(
      {"a clock that drifts out of the band (0 to 0.64 L): exact, then invalid", "-",
       fmt::format("{} of {} given, worst error {}", drifting.losses, drifting.intervals,
                   packets(drifting.loss_error)),
       drifting.loss_error == 0 && drifting.losses > 20 && drifting.losses < 80});
  report.tables.push_back(table);
  report.figures.push_back({"clock-offset", chart});
}

void add_edges(const LabSetting& setting, LabReport& report, Worst& worst) {
  const PathScore reordered =
      steady(setting, {.method = MarkingMethod::double_, .most_delay = 0.2}, worst);
  report.claims.push_back(
      {"packets that overtake each other across the edges (delays 0 to 0.2 L, double)", "-",
       fmt::format("{} of {} given, worst error {}", reordered.losses, reordered.intervals,
                   packets(reordered.loss_error)),
       reordered.loss_error == 0 && reordered.losses == reordered.intervals});
  std::uint64_t idle = 0;
  const PathScore silent = steady(setting, {.on = 0.5, .intervals = 60}, worst, &idle);
  report.claims.push_back(
      {"an idle flow has idle intervals, not intervals without loss", "-",
       fmt::format("{} idle, {} measured of {} with packets", idle, silent.losses,
                   silent.intervals),
       idle > 0 && silent.loss_error == 0 && silent.losses <= silent.intervals});
  const PathScore changed =
      steady(setting, {.intervals = 48, .change_to = MarkingInterval{0}}, worst);
  report.claims.push_back({"the interval changes from 250 ms to 1 s under way", "-",
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
