// L8: the delay of all packets together: LDA against RLI, as loss rises (RLI section V-C).

#include <fmt/core.h>

#include <array>
#include <tuple>

#include "experiments/oneway/oneway_experiments.h"
#include "experiments/oneway/relative_error.h"
#include "experiments/oneway/rli_trial.h"
#include "oneway/lda/lda.h"

namespace sojourn {
namespace {

constexpr std::array<double, 8> losses = {0.0005, 0.001, 0.002, 0.004, 0.008, 0.02, 0.05, 0.10};
constexpr double beyond = 0.004;  // where RLI at 1440 Hz is better than LDA, says the paper

struct Row {
  double loss = 0;
  double lda = 0, rli_288 = 0,
         rli_1440 = 0;  ///< mean over the intervals of the relative error of the mean
  double lda_deviation = 0, lda_plain_deviation = 0, rli_deviation = 0;
};

/// The packets [begin, end) of each second.
std::vector<std::pair<std::size_t, std::size_t>> intervals_of(std::span<const LabPacket> packets,
                                                              int seconds) {
  std::vector<std::pair<std::size_t, std::size_t>> intervals;
  std::size_t begin = 0;
  for (int second = 1; second <= seconds; ++second) {
    std::size_t end = begin;
    while (end < packets.size() && packets[end].sent_ns < second * 1'000'000'000LL) ++end;
    intervals.emplace_back(begin, end);
    begin = end;
  }
  return intervals;
}

DelayMoments true_delay(std::span<const LabPacket> packets, const Arrivals& arrivals,
                        std::size_t begin, std::size_t end) {
  DelayMoments truth;
  for (std::size_t i = begin; i < end; ++i)
    if (arrivals[i] != lost_packet) truth.add(Duration{arrivals[i] - packets[i].sent_ns});
  return truth;
}

void lda_errors(std::span<const LabPacket> packets, const Arrivals& arrivals,
                std::span<const std::pair<std::size_t, std::size_t>> intervals, std::uint64_t seed,
                Row& row) {
  RelativeErrors mean, deviation, plain;
  for (const auto& [begin, end] : intervals) {
    LdaOptions options = LdaOptions::tuned(static_cast<double>(end - begin));
    options.seed = seed;
    LdaSketch first{options}, last{options};
    for (std::size_t i = begin; i < end; ++i) {
      first.add(i, timestamp_from_ns(packets[i].sent_ns));
      if (arrivals[i] != lost_packet) last.add(i, timestamp_from_ns(arrivals[i]));
    }
    const DelayMoments truth = true_delay(packets, arrivals, begin, end);
    const auto estimate = lda_estimate(first, last);
    mean.add(estimate ? estimate->mean_ns : 0, truth.mean_ns());
    deviation.add(estimate ? estimate->deviation_ns : 0, truth.deviation_ns());
    plain.add(estimate ? estimate->plain_deviation_ns : 0, truth.deviation_ns());
  }
  row.lda = mean.mean();
  row.lda_deviation = deviation.mean();
  row.lda_plain_deviation = plain.mean();
}

/// The mean error of the aggregate, and of its deviation.
std::pair<double, double> rli_errors(
    std::span<const LabPacket> packets, double drain, std::uint64_t seed, int references_a_second,
    std::span<const std::pair<std::size_t, std::size_t>> intervals) {
  const RliPath path =
      inject(packets, RedQueue{{.bytes_per_second = drain}, seed},
             ReferenceGenerator{{.scheme = Injection::every_tau,
                                 .interval = Duration{1'000'000'000 / references_a_second}}});
  RelativeErrors mean, deviation;
  for (const auto& [begin, end] : intervals) {
    const RliReceiver receiver = receive(
        packets, path, {.capacity_bytes_a_second = drain, .flow_memory_bytes = 4096, .sender = {}},
        begin, end);
    const DelayMoments truth = true_delay(packets, path.arrivals, begin, end);
    mean.add(receiver.aggregate().mean_ns(), truth.mean_ns());
    deviation.add(receiver.aggregate().deviation_ns(), truth.deviation_ns());
  }
  return {mean.mean(), deviation.mean()};
}

ResultTable table_of(std::span<const Row> rows) {
  ResultTable table{.name = "errors",
                    .title = "relative error of the aggregate over intervals of 1 s, mean, %",
                    .columns = {"lost %", "LDA", "RLI 288 Hz", "RLI 1440 Hz", "deviation: LDA",
                                "LDA, not centred", "RLI 1440 Hz"},
                    .rows = {}};
  for (const Row& row : rows) {
    const auto cell = [](double value) { return Cell::decimals(100 * value, 3); };
    table.rows.push_back({cell(row.loss), cell(row.lda), cell(row.rli_288), cell(row.rli_1440),
                          cell(row.lda_deviation), cell(row.lda_plain_deviation),
                          cell(row.rli_deviation)});
  }
  return table;
}

}  // namespace

LabReport run_l8(const LabSetting& setting) {
  const int seconds = setting.quick ? 2 : 10;
  const BackboneTrace traffic = backbone_traffic({.model = BackboneModel::sanj(),
                                                  .seconds = static_cast<double>(seconds),
                                                  .seed = setting.seed,
                                                  .cut_at_edges = true});
  const std::span<const LabPacket> packets = traffic.packets;
  const auto intervals = intervals_of(packets, seconds);
  const double rate = traffic.drain_rate(1, seconds);
  std::vector<Row> rows;
  for (const double loss : losses) {
    const double drain =
        drain_rate_for(loss, rate * 0.7, rate * 1.6, 9, [&](double bytes_per_second) {
          return share_lost(pass_through(
              packets, RedQueue{{.bytes_per_second = bytes_per_second}, setting.seed}));
        });
    const Arrivals arrivals =
        pass_through(packets, RedQueue{{.bytes_per_second = drain}, setting.seed});
    Row row{.loss = share_lost(arrivals)};
    lda_errors(packets, arrivals, intervals, setting.seed, row);
    row.rli_288 = rli_errors(packets, drain, setting.seed, 288, intervals).first;
    std::tie(row.rli_1440, row.rli_deviation) =
        rli_errors(packets, drain, setting.seed, 1440, intervals);
    rows.push_back(row);
    setting.progress(static_cast<double>(rows.size()) / losses.size());
  }
  double worst_288 = 0, worst_1440 = 0, worst_lda = 0;
  for (const Row& row : rows) {
    if (row.loss < 0.95 * beyond) continue;
    worst_288 = std::max(worst_288, row.rli_288);
    worst_1440 = std::max(worst_1440, row.rli_1440);
    worst_lda = std::max(worst_lda, row.lda);
  }
  const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
  LabReport report;
  report.claims = {
      {"RLI, 288 reference packets a second, beyond 0.4 % loss", "below 2.5 %", percent(worst_288),
       worst_288 < 0.025},
      {"RLI, 1440 reference packets a second, beyond 0.4 % loss", "below 0.3 %",
       percent(worst_1440), worst_1440 < 0.003},
      {"LDA, two banks, beyond 0.4 % loss", "0.1 to 1.3 %", percent(worst_lda), worst_lda < 0.05}};
  LineChart chart{.title = "RLI Fig. 12: the mean of all packets, LDA and RLI",
                  .x = {.label = "packets lost (%)", .logarithmic = true, .low = {}, .high = {}},
                  .y = {.label = "relative error (%)", .logarithmic = true, .low = {}, .high = {}},
                  .series = {{.name = "LDA", .points = {}},
                             {.name = "RLI 288 Hz", .points = {}},
                             {.name = "RLI 1440 Hz", .points = {}}}};
  for (const Row& row : rows) {
    chart.series[0].points.push_back({100 * row.loss, 100 * row.lda});
    chart.series[1].points.push_back({100 * row.loss, 100 * row.rli_288});
    chart.series[2].points.push_back({100 * row.loss, 100 * row.rli_1440});
  }
  report.tables.push_back(table_of(rows));
  report.figures.push_back({"aggregate", chart});
  return report;
}

}  // namespace sojourn
