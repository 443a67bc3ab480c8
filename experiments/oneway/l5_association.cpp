// L5: which share of flow records passes the checks of CNF (CNF Table II).

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/oneway/oneway_experiments.h"
#include "experiments/oneway/oneway_path.h"
#include "oneway/cnf/association.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// A row of Table II, in percent.
struct PaperRow {
  double loss, c1, c2, c3, c4, label;
};
constexpr std::array<PaperRow, 6> paper = {{{0.00, 100.00, 100.00, 99.99, 99.99, 100.00},
                                            {0.98, 98.77, 98.44, 98.43, 98.43, 99.24},
                                            {2.11, 97.21, 96.57, 96.56, 96.56, 98.20},
                                            {2.91, 96.24, 95.38, 95.37, 95.37, 97.64},
                                            {3.92, 94.88, 93.85, 93.84, 93.84, 96.65},
                                            {4.93, 93.73, 92.42, 92.41, 92.41, 95.85}}};
constexpr double sampling_share = 0.005;
constexpr std::int64_t propagation_ns = 10'000'000;  // the paper: 10 to 20 ms
constexpr std::size_t queue_packets = 10'000;

struct Row {
  double loss = 0;
  std::array<double, 5> timing{};  ///< percent after C1 ... C5
  double label = 0;
  std::size_t records = 0;
};

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, whole));
}

/// Drop-tail, with a rate that loses the row's share.
Row survival(const BackboneTrace& traffic, double seconds, double loss, double scale,
             const LabSetting& setting) {
  const double rate = traffic.drain_rate(1, seconds);
  // A tenth of the traffic, a tenth of the queue: the times are unchanged.
  const auto room = static_cast<std::size_t>(queue_packets * scale);
  const auto queue = [room](double bytes_per_second) {
    return DropTailQueue{{.capacity = room, .bytes_per_second = bytes_per_second}};
  };
  const double drain =
      loss == 0
          ? rate * 4
          : drain_rate_for(loss / 100, rate * 0.8, rate * 1.5, 12, [&](double bytes_per_second) {
              return share_lost(pass_through(traffic.packets, queue(bytes_per_second)));
            });
  const Arrivals arrivals = pass_through(traffic.packets, queue(drain), propagation_ns);
  const LabRecords records = records_of(
      traffic.packets, arrivals, {.share = sampling_share, .seed = setting.seed},
      {.memory_bytes = std::size_t{64} << 20, .active_timeout = 30s, .inactive_timeout = 10s});
  // e2: the largest queue times the average time for a packet, as in the paper.
  const double packet_ns = static_cast<double>(traffic.bytes) /
                           static_cast<double>(traffic.packets.size()) / drain * 1e9;
  const Duration processing{static_cast<std::int64_t>(static_cast<double>(room) * packet_ns)};
  const auto timing =
      associate_by_timing(records.first, records.last, {10ms, 20ms, processing, 1ms, 10s, 30s});
  const Association labels = associate_by_label(records.first, records.last, 10s);
  Row row{.loss = 100 * share_lost(arrivals),
          .label = percent(labels.flows.size(), records.first.size()),
          .records = records.first.size()};
  for (std::size_t i = 0; i < row.timing.size(); ++i)
    row.timing[i] = percent(timing.survival.after[i], records.first.size());
  return row;
}

ResultTable table_of(std::span<const Row> rows) {
  ResultTable table{
      .name = "survival",
      .title = "records of the first point that survive, %, ours (paper)",
      .columns = {"loss", "C1", "C1-C2", "C1-C3", "C1-C4", "C1-C5", "label", "records"},
      .rows = {}};
  const auto cell = [](double ours, double theirs) { return Cell::beside_paper(ours, theirs, 2); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    table.rows.push_back({cell(row.loss, paper[i].loss), cell(row.timing[0], paper[i].c1),
                          cell(row.timing[1], paper[i].c2), cell(row.timing[2], paper[i].c3),
                          cell(row.timing[3], paper[i].c4), Cell::decimals(row.timing[4], 2),
                          cell(row.label, paper[i].label), row.records});
  }
  return table;
}

LabFigure figure_of(std::span<const Row> rows) {
  LineChart chart{.title = "CNF Table II: records that survive",
                  .x = {.label = "packets lost (%)", .low = {}, .high = {}},
                  .y = {.label = "records that survive (%)", .low = {}, .high = {}},
                  .series = {{.name = "C1", .points = {}},
                             {.name = "C1 to C4", .points = {}},
                             {.name = "label", .points = {}},
                             {.name = "C1, paper", .points = {}, .dashed = true},
                             {.name = "C1 to C4, paper", .points = {}, .dashed = true},
                             {.name = "label, paper", .points = {}, .dashed = true}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    chart.series[0].points.push_back({rows[i].loss, rows[i].timing[0]});
    chart.series[1].points.push_back({rows[i].loss, rows[i].timing[3]});
    chart.series[2].points.push_back({rows[i].loss, rows[i].label});
    chart.series[3].points.push_back({paper[i].loss, paper[i].c1});
    chart.series[4].points.push_back({paper[i].loss, paper[i].c4});
    chart.series[5].points.push_back({paper[i].loss, paper[i].label});
  }
  return {"survival", chart};
}

}  // namespace

LabReport run_l5(const LabSetting& setting) {
  const double seconds = 60, scale = setting.quick ? 0.4 : 1.0;
  const BackboneTrace traffic = backbone_traffic({.model = BackboneModel::chic(),
                                                  .seconds = seconds,
                                                  .scale = scale,
                                                  .seed = setting.seed,
                                                  .cut_at_edges = true});
  std::vector<Row> rows;
  LabReport report;
  for (std::size_t i = 0; i < paper.size(); ++i) {
    rows.push_back(survival(traffic, seconds, paper[i].loss, scale, setting));
    const Row& row = rows.back();
    const double worst =
        std::max({std::abs(row.timing[0] - paper[i].c1), std::abs(row.timing[1] - paper[i].c2),
                  std::abs(row.timing[2] - paper[i].c3), std::abs(row.timing[3] - paper[i].c4),
                  std::abs(row.label - paper[i].label)});
    report.claims.push_back(
        {fmt::format("records that survive at {:.2f} % loss: C1, C1-C4, label", paper[i].loss),
         fmt::format("{:.2f}, {:.2f}, {:.2f} %", paper[i].c1, paper[i].c4, paper[i].label),
         fmt::format("{:.2f}, {:.2f}, {:.2f} % (off by {:.2f} points at most)", row.timing[0],
                     row.timing[3], row.label, worst),
         worst <= 1});
    setting.progress(static_cast<double>(i + 1) / static_cast<double>(paper.size()));
  }
  report.tables.push_back(table_of(rows));
  report.figures.push_back(figure_of(rows));
  return report;
}

}  // namespace sojourn
