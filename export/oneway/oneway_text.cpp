// The report of `sojourn oneway` for people.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parse.h"
#include "core/printable.h"
#include "core/units.h"
#include "export/charts/delay_axis.h"
#include "export/charts/sparkline.h"
#include "export/flow_name.h"
#include "export/oneway/note_options.h"
#include "export/oneway/oneway_remarks.h"
#include "export/oneway/oneway_report.h"
#include "export/text_cells.h"
#include "export/text_page.h"

namespace sojourn {
namespace {

using Align = TextTable::Align;

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.3g} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string name_of_flow(const FlowKey& key) {
  // A monitored flow of alternate marking leaves unset fields open.
  const auto is_open = [](const IpAddress& address) { return address == IpAddress{}; };
  if (key.protocol == 0 && is_open(key.source) && is_open(key.destination) &&
      key.source_port == 0 && key.destination_port == 0)
    return "any";
  return flow_name(key);
}

class OnewayText : private TextPage {
 public:
  OnewayText(const OnewayReport& report, const TextOptions& options)
      : TextPage(options), report_(report), measured_(*report.measured) {}

  std::string write() {
    heading();
    delays();
    loss();
    groups();
    flows();
    tables();
    remarks();
    return take();
  }

 private:
  void heading() {
    line(styled(fmt::format("{} {} {}", printable(report_.points[0].name), unicode() ? "→" : "->",
                            printable(report_.points[1].name)),
                "1"));
    for (std::size_t i = 0; i < report_.points.size(); ++i) {
      const CaptureReport& point = report_.points[i];
      const PointInput& input = measured_.inputs[i];
      std::string text =
          fmt::format("{}: {} packets", printable(point.name), format_count(point.captured));
      if (input.first && input.last)
        text += fmt::format(", {} from {}", format_duration(*input.last - *input.first),
                            format_time(*input.first));
      line(text);
    }
    line(fmt::format("method {}: {}", report_.method->name, report_.method->summary));
  }

  void delays() {
    const Distribution& delays = measured_.delays;
    const auto& total = measured_.result.total;
    if (delays.empty()) {
      if (total) section("delay of all packets together"), all_packets(*total);
      return;
    }
    const bool of_packets = report_.method->samples_packets;
    section(of_packets ? "delay of packets" : "mean delay of flows");
    const bool both_ways = !measured_.result.directions.empty();
    std::vector<Align> columns(8, Align::right);
    if (both_ways) columns.insert(columns.begin(), Align::left);
    TextTable rows(columns);
    std::vector<std::string> titles = {of_packets ? "packets" : "flows",
                                       "min",
                                       unicode() ? "median ±95%" : "median +-95%",
                                       "p95",
                                       "p99",
                                       "max",
                                       "mean",
                                       "stddev"};
    if (both_ways) titles.insert(titles.begin(), "direction");
    rows.row(titles);
    if (!both_ways) rows.row(delay_cells(delays, total));
    for (const DirectionResult& row : measured_.result.directions) {
      const bool forward = row.direction == Direction::forward;
      const Distribution& its_delays = forward ? delays : measured_.backward;
      if (its_delays.empty()) continue;
      auto cells = delay_cells(its_delays, row.total);
      cells.insert(cells.begin(), name_of_direction(row.direction));
      rows.row(cells);
    }
    table(rows);
    if (total && !(of_packets && total->stddev_ns)) all_packets(*total);
    shape();
  }

  std::vector<std::string> delay_cells(const Distribution& delays,
                                       const std::optional<TotalDelay>& total) const {
    const std::vector<double> qs = {0.5, 0.95, 0.99};
    const auto at = delays.estimates(qs);
    const bool has_stddev = report_.method->samples_packets && total && total->stddev_ns;
    return {compact_count(delays.count()),
            compact(*delays.min()),
            with_margin(at[0].delay, at[0].interval, unicode()),
            compact(at[1].delay),
            compact(at[2].delay),
            compact(*delays.max()),
            compact(*delays.mean()),
            has_stddev ? compact(rounded(*total->stddev_ns)) : "-"};
  }
  static std::string name_of_direction(Direction direction) {
    return direction == Direction::forward ? "FIRST to LAST" : "LAST to FIRST";
  }

  void all_packets(const TotalDelay& total) {
    std::string text = fmt::format("all packets: mean {}", format_duration(rounded(total.mean_ns)));
    if (total.stddev_ns)
      text += fmt::format(", standard deviation {}", format_duration(rounded(*total.stddev_ns)));
    line(text + fmt::format(", from {} packets", format_count(total.packets)));
  }

  void shape() {
    const Distribution& delays = measured_.delays;
    if (*delays.min() <= Duration{0} || delays.count() < 10) return;
    const DelayAxis axis{*delays.min(), *delays.max()};
    line("");
    line(sparkline(delays, axis, width, unicode()));
    for (const auto& text : axis_lines(axis, width, unicode())) line(styled(text, "2"));
  }

  void loss() {
    const OnewayResult& result = measured_.result;
    if (!result.sent && result.counters.empty()) return;
    section("what became of the packets");
    if (result.directions.empty()) loss_line("", result.sent, result.lost);
    for (const DirectionResult& row : result.directions)
      loss_line(name_of_direction(row.direction) + ": ", row.sent, row.lost);
    std::string apart;
    for (const auto& [name, count] : result.counters)
      if (count > 0 && !name.starts_with("matched") && name != "lost" && name != "lost-backward")
        apart += fmt::format("{}{} {}", apart.empty() ? "" : ", ", format_count(count), name);
    if (!apart.empty()) paragraph("counted apart: " + apart);
    for (const CaptureReport& point : report_.points) {
      std::string skipped;
      for (const auto& [reason, count] : point.skipped)
        skipped += fmt::format("{}{} {}", skipped.empty() ? "" : ", ", format_count(count), reason);
      if (!skipped.empty())
        paragraph(fmt::format("skipped in {}: {}", printable(point.name), skipped));
    }
  }

  void loss_line(const std::string& prefix, const std::optional<std::uint64_t>& sent,
                 const std::optional<std::uint64_t>& lost) {
    if (sent && lost)
      line(fmt::format("{}lost {} of {} packets ({})", prefix, format_count(*lost),
                       format_count(*sent), share_of(*lost, *sent)));
  }

  void groups() {
    const auto groups = report_.largest_groups();
    if (groups.empty()) return;
    TextTable rows(
        {Align::right, Align::right, Align::right, Align::right, Align::right, Align::left});
    rows.row({"packets", "p50", "p95", "p99", "lost", report_.grouping});
    for (const GroupDelay& group : groups) {
      const std::vector<double> qs = {0.5, 0.95, 0.99};
      const auto at = group.delays->quantiles(qs);
      rows.row({compact_count(group.delays->count()), compact(at[0]), compact(at[1]),
                compact(at[2]), share_of(group.lost, group.sent), group.label});
    }
    section(fmt::format("{} of {} groups by {}, most packets first", groups.size(),
                        format_count(report_.groups.size()), report_.grouping));
    table(rows);
  }

  void flows() {
    const auto slowest = report_.slowest_flows();
    if (slowest.empty()) return;
    const bool with_margins = std::ranges::any_of(
        slowest, [](const FlowDelay* flow) { return flow->margin_ns.has_value(); });
    TextTable rows({Align::right, Align::right, Align::right, Align::right, Align::right,
                    Align::right, Align::left});
    rows.row({"packets",
              !with_margins ? "mean"
              : unicode()   ? "mean ±95%"
                            : "mean +-95%",
              "stddev", "min", "max", "lost", "flow"});
    const auto cell = [](const auto& value) {
      return value ? compact(rounded(static_cast<double>(*value))) : "-";
    };
    for (const FlowDelay* flow : slowest)
      rows.row({compact_count(flow->packets),
                with_margins ? mean_with_margin(*flow) : cell(flow->mean_ns), cell(flow->stddev_ns),
                cell(flow->min_ns), cell(flow->max_ns),
                flow->lost ? compact_count(*flow->lost) : "-", name_of_flow(flow->key)});
    section(fmt::format("the slowest {} of {} flows, by their mean delay", slowest.size(),
                        format_count(measured_.result.flows.size())));
    table(rows);
  }

  std::string mean_with_margin(const FlowDelay& flow) const {
    const Duration mean = rounded(*flow.mean_ns);
    Interval interval{mean, mean, false, false};  // "±?"
    if (flow.margin_ns)
      interval = {mean - rounded(*flow.margin_ns), mean + rounded(*flow.margin_ns)};
    return with_margin(mean, interval, unicode());
  }

  void tables() {
    for (const ResultTable& extra : measured_.result.tables) {
      TextTable rows(std::vector<Align>(extra.columns.size(), Align::right));
      rows.row(heads_of(extra));
      for (const auto& row : extra.rows) rows.row(texts_of(row));
      section(extra.title);
      table(rows);
    }
  }

  void remarks() {
    line("");
    paragraph(clock_sentence(report_));
    for (const Note& note : measured_.result.notes) paragraph(with_options(note));
    for (const std::string& note : report_.notes) paragraph(note);
    for (const std::string& warning : report_.warnings)
      paragraph(styled("warning: ", "33") + printable(warning, 1000));
    std::string trust = fmt::format("Memory: {}.", format_size(measured_.result.memory_bytes));
    if (report_.elapsed > Duration{0}) {
      const double rate = static_cast<double>(report_.packets()) * 1e3 /
                          static_cast<double>(report_.elapsed.count());
      trust += fmt::format(" Read in {}: {:.2f} million packets/s.",
                           format_duration(report_.elapsed), rate);
    }
    line(styled(trust, "2"));
  }

  const OnewayReport& report_;
  const OnewayMeasurement& measured_;
};

}  // namespace

std::vector<const FlowDelay*> OnewayReport::slowest_flows() const {
  std::vector<const FlowDelay*> flows;
  for (const FlowDelay& flow : measured->result.flows)
    if (flow.mean_ns && flow.direction == Direction::forward) flows.push_back(&flow);
  const std::size_t shown = std::min(top, flows.size());
  const auto slower = [](const FlowDelay* a, const FlowDelay* b) {
    return *a->mean_ns != *b->mean_ns ? *a->mean_ns > *b->mean_ns : a->key < b->key;
  };
  std::ranges::partial_sort(flows, flows.begin() + static_cast<std::ptrdiff_t>(shown), slower);
  flows.resize(shown);
  return flows;
}

std::span<const GroupDelay> OnewayReport::largest_groups() const {
  return {groups.data(), std::min(top, groups.size())};
}

std::string oneway_text(const OnewayReport& report, const TextOptions& options) {
  return OnewayText{report, options}.write();
}

}  // namespace sojourn
