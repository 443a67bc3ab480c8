#include "export/rtt/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/printable.h"
#include "core/units.h"
#include "estimate/estimates_of.h"
#include "export/charts/delay_axis.h"
#include "export/charts/sparkline.h"
#include "export/rtt/expect_text.h"
#include "export/text_cells.h"
#include "export/text_table.h"

namespace sojourn {
namespace {

constexpr std::size_t page_width = 80;
using Align = TextTable::Align;

class TextReport {
 public:
  TextReport(const RttReport& report, const TextOptions& options)
      : report_(report), measurement_(*report.measurement), options_(options) {}

  std::string write() {
    heading();
    if (!report_.input.drops.empty()) {
      line("");
      paragraph(styled("warning: ", "33") + report_.input.drops, "  ");
    }
    if (measured_kinds().empty())
      nothing_measured();
    else {
      delays();
      shape();
    }
    requests();
    windows();
    groups();
    sla();
    expect();
    caveats();
    losses();
    if (!measured_kinds().empty()) trust();
    if (report_.engine) engine(*report_.engine);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_.append(text) += '\n'; }
  void section(std::string_view title) { line("\n" + styled(title, "1")); }
  std::string styled(std::string_view text, std::string_view code) const {
    return options_.color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string{text};
  }
  /// The first line of a table is its head.
  void table(const TextTable& table) {
    const auto lines = table.lines(page_width);
    for (std::size_t i = 0; i < lines.size(); ++i) line(i == 0 ? styled(lines[i], "2") : lines[i]);
  }
  /// Words filled into lines; continuation lines are indented.
  void paragraph(std::string_view text, std::string_view indent = "");

  std::vector<Leg> measured_legs(Kind kind) const {
    std::vector<Leg> legs;
    for (std::size_t i = 0; i < leg_count; ++i)
      if (!measurement_.leg(kind, static_cast<Leg>(i)).empty()) legs.push_back(static_cast<Leg>(i));
    return legs;
  }
  std::vector<Kind> measured_kinds() const {
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < kind_count; ++i)
      if (!measured_legs(static_cast<Kind>(i)).empty()) kinds.push_back(static_cast<Kind>(i));
    return kinds;
  }

  void heading();
  void nothing_measured();
  void delays();
  void shape();
  void requests();
  void windows();
  void groups();
  void sla();
  void sla_line(const SlaResult& result);
  void sla_groups(const SlaGroups& groups);
  void expect();
  void caveats();
  void losses();
  void engine(const EngineSummary& engine);
  void trust();

  std::vector<std::string> delay_cells(const Distribution& distribution,
                                       const std::vector<QuantileEstimate>& quantiles) const;

  const RttReport& report_;
  const Measurement& measurement_;
  TextOptions options_;
  std::string out_;
  bool few_flows_ = false, few_samples_ = false;  ///< some median has no margin, for that reason
};

void TextReport::paragraph(std::string_view text, std::string_view indent) {
  std::string current;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, space);
    if (!current.empty() && display_width(current) + 1 + display_width(word) > page_width) {
      line(current);
      current = indent;
      current += word;
    } else {
      if (!current.empty()) current += ' ';
      current += word;
    }
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  if (!current.empty()) line(current);
}

void TextReport::heading() {
  constexpr std::size_t most_names = 3;
  const auto& files = report_.input.files;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), most_names); ++i)
    names += (i > 0 ? ", " : "") + printable(files[i]);
  if (files.size() > most_names) names += fmt::format(" and {} more", files.size() - most_names);
  line(styled(names, "1"));

  std::string text = fmt::format("{} {}, {}", format_count(report_.input.packets),
                                 report_.input.packets == 1 ? "packet" : "packets",
                                 format_size(report_.input.bytes));
  if (!report_.input.first || !report_.input.last) return line(text);
  const Duration length = *report_.input.last - *report_.input.first;
  if (length > Duration{0}) {
    const double rate =
        static_cast<double>(report_.input.packets) * 1e9 / static_cast<double>(length.count());
    text +=
        fmt::format(", {} packets/s", format_count(static_cast<std::uint64_t>(std::llround(rate))));
  }
  line(text);
  const std::string start = format_time(*report_.input.first);
  line(fmt::format("{} from {} {} UTC", format_duration(length), start.substr(0, 10),
                   start.substr(11, 8)));
}

std::vector<std::string> TextReport::delay_cells(
    const Distribution& distribution, const std::vector<QuantileEstimate>& quantiles) const {
  return {compact_count(distribution.count()),
          compact(*distribution.min()),
          with_margin(quantiles[0].delay, quantiles[0].interval, options_.unicode),
          compact(quantiles[1].delay),
          compact(quantiles[2].delay),
          compact(*distribution.max()),
          compact(*distribution.mean())};
}

void TextReport::delays() {
  line("");
  TextTable rows({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                  Align::right, Align::right, Align::right});
  rows.row({"kind", "leg", "samples", "min", options_.unicode ? "median ±95%" : "median +-95%",
            "p95", "p99", "max", "mean"});
  struct Row {
    std::string_view kind, leg;
  };
  std::vector<Row> heads;
  std::vector<const Distribution*> distributions;
  for (const Kind kind : measured_kinds()) {
    std::string_view name = name_of(kind);
    const auto add_row = [&](std::string_view leg, const Distribution& distribution) {
      heads.push_back({name, leg});
      distributions.push_back(&distribution);
      name = {};  // once per kind is enough
    };
    const auto legs = measured_legs(kind);
    // The headline first: the sum of the legs where it was measured, else all legs pooled.
    const bool sum = !measurement_.leg(kind, Leg::sum).empty();
    if (sum)
      add_row(name_of(Leg::sum), measurement_.leg(kind, Leg::sum));
    else if (legs.size() > 1 && !measurement_.pooled(kind).empty())
      add_row("all", measurement_.pooled(kind));
    for (const Leg leg : legs)
      if (leg != Leg::sum) add_row(name_of(leg), measurement_.leg(kind, leg));
  }
  const auto estimates = estimates_of(distributions, std::array{0.5, 0.95, 0.99}, report_.threads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::vector<std::string> cells = {std::string{heads[i].kind}, std::string{heads[i].leg}};
    const Unbounded why = estimates[i][0].interval.why;
    few_flows_ = few_flows_ || why == Unbounded::too_few_flows;
    few_samples_ = few_samples_ || why == Unbounded::too_few_samples;
    for (auto& cell : delay_cells(*distributions[i], estimates[i]))
      cells.push_back(std::move(cell));
    rows.row(std::move(cells));
  }
  table(rows);
}

void TextReport::shape() {
  std::optional<Duration> low, high;
  std::size_t name_width = 0;
  std::vector<Kind> kinds = measured_kinds();
  std::erase_if(kinds, [&](Kind kind) { return measurement_.pooled(kind).empty(); });
  for (const Kind kind : kinds) {
    const auto& pooled = measurement_.pooled(kind);
    low = low ? std::min(*low, *pooled.min()) : *pooled.min();
    high = high ? std::max(*high, *pooled.max()) : *pooled.max();
    name_width = std::max(name_width, name_of(kind).size());
  }
  if (!low) return;
  const DelayAxis axis{*low, *high};
  const std::size_t width = page_width - 2 - name_width;
  section("where the delays lie (each row to its own peak, logarithmic)");
  for (const Kind kind : kinds)
    line(fmt::format("{:{}}  {}", name_of(kind), name_width,
                     sparkline(measurement_.pooled(kind), axis, width, options_.unicode)));
  for (const auto& text : axis_lines(axis, width, options_.unicode))
    line(std::string(name_width + 2, ' ') + styled(text, "2"));
}

void TextReport::requests() {
  LeftOutCounters left_out;
  std::vector<Kind> asked;
  for (std::size_t i = 0; i < kind_count; ++i) {
    const KindCounters& counters = measurement_.counters(static_cast<Kind>(i));
    if (counters.requests + counters.ambiguous == 0) continue;
    asked.push_back(static_cast<Kind>(i));
    left_out += counters.left_out;
  }
  if (asked.empty()) return;
  // What a table of fixed memory leaves out, and what its samples say of all requests.
  const bool estimates = left_out.total() > 0;
  std::vector<Align> alignment(estimates ? 8 : 6, Align::right);
  alignment[0] = Align::left;
  TextTable rows(alignment);
  std::vector<std::string> head = {"kind",     "requests",  "samples",
                                   "of flows", "ambiguous", "unanswered"};
  if (estimates) head.insert(head.end(), {"left out", "answered, est."});
  rows.row(std::move(head));
  for (const Kind kind : asked) {
    const KindCounters& counters = measurement_.counters(kind);
    const auto share = [&](std::uint64_t count) {
      if (count == 0 || counters.requests == 0) return format_count(count);
      return fmt::format("{} ({}%)", format_count(count), percent(count, counters.requests));
    };
    // Those of the headline figure: requests are counted for it too, not for its halves.
    const Distribution& pooled = measurement_.pooled(kind);
    const FlowCount flows = pooled.flows();
    std::vector<std::string> cells = {
        std::string{name_of(kind)},
        format_count(counters.requests),
        format_count(pooled.count()),
        (flows.or_more ? "over " : "") + format_count(static_cast<std::uint64_t>(flows.flows)),
        share(counters.ambiguous),
        share(measurement_.unmatched_requests(kind))};
    if (estimates) {
      const auto answered = static_cast<std::uint64_t>(
          std::llround(pooled.total_weight() + counters.estimated_ambiguous));
      cells.push_back(share(counters.left_out.total()));
      cells.push_back(counters.requests == 0
                          ? "-"
                          : percent(std::min(answered, counters.requests), counters.requests) +
                                "%");
    }
    rows.row(std::move(cells));
  }
  section("what became of the requests");
  table(rows);
  if (!estimates) return;
  std::string reasons;
  for (std::size_t i = 0; i < LeftOutCounters::size; ++i)
    if (const std::uint64_t count = left_out[static_cast<LeftOut>(i)]; count > 0)
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", format_count(count),
                             left_out_words[i]);
  paragraph("left out: " + reasons, "  ");
}

void TextReport::windows() {
  const auto window_rows = measurement_.window_rows();
  if (window_rows.empty()) return;
  const bool subsecond = *measurement_.window() % std::chrono::seconds{1} != Duration{0};
  TextTable rows({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                  Align::right});
  rows.row({"start", "kind", "samples", "p50", "p95", "p99", "max"});
  std::string day, previous;
  for (const auto& row : window_rows) {
    const std::string time = format_time(row.start);
    if (day.empty()) day = time.substr(0, 10);
    // The day is in the title; a row of another day says so itself.
    std::string start = time.substr(0, 10) == day
                            ? time.substr(11, subsecond ? 15 : 8)
                            : time.substr(0, 10) + " " + time.substr(11, subsecond ? 15 : 8);
    const std::vector<double> qs = {0.5, 0.95, 0.99};
    const auto delays = row.distribution->quantiles(qs);
    rows.row({start == previous ? "" : start, std::string{name_of(row.kind)},
              compact_count(row.distribution->count()), compact(delays[0]), compact(delays[1]),
              compact(delays[2]), compact(*row.distribution->max())});
    previous = std::move(start);
  }
  section(fmt::format("slices of {}, UTC, {}", format_duration(*measurement_.window()), day));
  table(rows);
  if (const auto beyond = measurement_.samples_beyond_windows(); beyond > 0)
    line(fmt::format("{} samples are in no slice: there were too many slices.",
                     format_count(beyond)));
}

void TextReport::groups() {
  if (!measurement_.grouping() || report_.top == 0) return;
  const auto groups = measurement_.largest_groups(report_.top);
  if (groups.empty()) return;
  // The name comes last: it may be long, and numbers still line up.
  TextTable rows(
      {Align::right, Align::right, Align::right, Align::right, Align::left, Align::left});
  rows.row({"samples", "p50", "p95", "p99", "kind", measurement_.grouping()->name()});
  for (const auto& group : groups) {
    const std::vector<double> qs = {0.5, 0.95, 0.99};
    const auto delays = group.distribution->quantiles(qs);
    rows.row({compact_count(group.distribution->count()), compact(delays[0]), compact(delays[1]),
              compact(delays[2]), std::string{name_of(group.kind)}, group.label});
  }
  section(fmt::format("{} of {} groups by {}, most samples first", groups.size(),
                      format_count(measurement_.group_count()), measurement_.grouping()->name()));
  table(rows);
  if (const auto beyond = measurement_.samples_beyond_groups(); beyond > 0)
    line(fmt::format("{} samples are in the group \"other\": there were too many groups.",
                     format_count(beyond)));
}

void TextReport::sla() {
  if (report_.sla.empty() && report_.sla_groups.empty()) return;
  section("service level");
  for (const SlaResult& result : report_.sla) sla_line(result);
  for (const SlaGroups& groups : report_.sla_groups) sla_groups(groups);
}

void TextReport::sla_line(const SlaResult& result) {
  std::string_view mark = "?", color = "33";
  if (result.verdict == SlaVerdict::met) mark = options_.unicode ? "✓" : "+", color = "32";
  if (result.verdict == SlaVerdict::violated) mark = options_.unicode ? "✗" : "x", color = "31";
  std::string text = fmt::format("{} {:<9}  {}", mark, name_of(result.verdict),
                                 result.group ? *result.group : result.rule);
  if (!result.value)
    text += "  no samples";
  else {
    text += "  is " + format_duration(*result.value);
    if (result.interval->low != result.interval->high || !result.interval->bounded())
      text += fmt::format(" ({} to {}{})", format_duration(result.interval->low),
                          result.interval->bounded_above ? "" : "at least ",
                          format_duration(result.interval->high));
  }
  line(styled(text, color));
}

/// The groups that broke the rule, as many as are to be shown; of the others only how many.
void TextReport::sla_groups(const SlaGroups& groups) {
  if (groups.groups() == 0) return line(fmt::format("{}: no group has samples", groups.rule));
  line(fmt::format("{}: of {} {}, {} violated, {} undecided, {} met", groups.rule,
                   format_count(groups.groups()), groups.groups() == 1 ? "group" : "groups",
                   format_count(groups.count(SlaVerdict::violated)),
                   format_count(groups.count(SlaVerdict::undecided)),
                   format_count(groups.count(SlaVerdict::met))));
  std::size_t shown = 0;
  for (const SlaResult& result : groups.shown)
    if (result.verdict == SlaVerdict::violated) {
      sla_line(result);
      ++shown;
    }
  if (const auto rest = groups.count(SlaVerdict::violated) - shown; rest > 0)
    line(fmt::format("  and {} more: see --top", format_count(rest)));
}

void TextReport::expect() {
  if (!report_.expect) return;
  const ExpectSummary& expect = *report_.expect;
  std::string since;
  if (expect.first) since = fmt::format(", measured {}", format_time(*expect.first).substr(0, 10));
  section(fmt::format("compared with {}{}", printable(expect.file), since));
  for (const ExpectResult& result : expect.comparison.results) {
    std::string_view mark = "?", color = "33";
    if (result.verdict == ShiftVerdict::same) mark = options_.unicode ? "✓" : "+", color = "32";
    if (result.shifted()) mark = options_.unicode ? "✗" : "x", color = "31";
    const std::string name =
        fmt::format("{} {}.{}:", mark, name_of(result.kind), name_of(result.leg));
    paragraph(styled(name, color) + " " + expect_sentence(result), "  ");
  }
  paragraph(expect_promise(expect.comparison));
}

/// What the capture itself takes away from the figures.
void TextReport::caveats() {
  std::string guessed;
  for (const Kind kind : {Kind::tcp, Kind::tcp_ts}) {
    const std::uint64_t count = measurement_.counters(kind).guessed_legs;
    if (count > 0)
      guessed += fmt::format("{}{} ({}%) of {}", guessed.empty() ? "" : ", ", format_count(count),
                             percent(count, measurement_.pooled(kind).count()), name_of(kind));
  }
  const KindCounters& tcp = measurement_.counters(Kind::tcp);
  if (guessed.empty() && tcp.super_packets == 0) return;
  line("");
  if (!guessed.empty())
    paragraph("legs guessed by port, for want of a SYN: " + guessed + " samples", "  ");
  if (tcp.super_packets == 0) return;
  const std::uint64_t segments = tcp.requests + tcp.super_packets_left_out;
  std::string text = fmt::format(
      "{} ({}%) of the tcp requests are larger than a packet: an interface divides or joins them "
      "(offloads). An acknowledgment answers the oldest that none has reached before.",
      format_count(tcp.super_packets), percent(std::min(tcp.super_packets, segments), segments));
  if (tcp.super_packets_left_out > 0)
    text += fmt::format(" {} were left out: too many at once.",
                        format_count(tcp.super_packets_left_out));
  paragraph(styled("warning: ", "33") + text, "  ");
}

void TextReport::losses() {
  const auto& input = report_.input;
  std::vector<NamedCount> forgotten = report_.table.counters;
  std::erase_if(forgotten, [](const NamedCount& counter) { return counter.second == 0; });
  if (!input.skipped.empty() || !forgotten.empty() || !input.warnings.empty()) line("");
  const auto list = [](const std::vector<NamedCount>& counts) {
    std::string text;
    for (const auto& [reason, count] : counts)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), reason);
    return text;
  };
  if (!input.skipped.empty()) paragraph("skipped packets: " + list(input.skipped), "  ");
  if (!forgotten.empty()) paragraph("table " + report_.table.name + ": " + list(forgotten), "  ");
  for (const auto& warning : input.warnings)
    paragraph(styled("warning: ", "33") + printable(warning, 1000), "  ");
}

void TextReport::trust() {
  double error = 0;
  bool negative = false, weighted = false, has_hosts = false;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (const Kind kind : measured_kinds()) {
    const auto& pooled = measurement_.pooled(kind);
    if (pooled.empty()) continue;
    error = std::max(error, pooled.relative_error());
    negative = negative || *pooled.min() < Duration{0};
    weighted = weighted || pooled.total_weight() != static_cast<double>(pooled.count());
    fewest = std::min(fewest, pooled.count());
    has_hosts = has_hosts || kind == Kind::dns || kind == Kind::ntp || kind == Kind::icmp;
  }
  line("");
  std::string text = options_.unicode ? "±" : "+-";
  text += " covers the true median with 95 % confidence, by how much flows differ";
  if (has_hosts) text += " (for dns, ntp and icmp: pairs of hosts)";
  if (few_flows_ || few_samples_)
    text += fmt::format("; ? stands where there are too few {} to tell", !few_samples_ ? "flows"
                                                                         : !few_flows_
                                                                             ? "samples"
                                                                             : "flows or samples");
  text += error == 0
              ? ". Quantiles are those of the samples, to the nanosecond."
              : fmt::format(". Quantiles are those of the samples, within {:.1f} %.", 100 * error);
  if (weighted) text += " Samples are weighted for what the table could not keep.";
  if (!report_.table.promise.empty()) text += " " + report_.table.promise;
  text += fmt::format(" Table {}: {}, connections: {}.", report_.table.name,
                      format_size(report_.table.memory_bytes),
                      format_size(report_.table.connection_bytes));
  if (fewest < 100) text += " With fewer than 100 samples p99 is little more than the maximum.";
  if (!measurement_.pooled(Kind::tcp).empty())
    text += " tcp delays include what a receiver waits before it acknowledges.";
  if (negative) text += " Some delays are negative: the clock of the capture stepped back.";
  paragraph(text);
  if (report_.elapsed > Duration{0} && report_.input.packets > 0) {
    const double rate = static_cast<double>(report_.input.packets) * 1e3 /
                        static_cast<double>(report_.elapsed.count());
    line(styled(fmt::format("Read in {}: {:.2f} million packets/s.",
                            format_duration(report_.elapsed), rate),
                "2"));
  }
}

void TextReport::engine(const EngineSummary& engine) {
  std::string text = fmt::format("Engine: {}, {}", engine.name, engine.how);
  text += engine.why.empty() ? "." : fmt::format(" ({}).", engine.why);
  text += fmt::format(" {} packets seen, {} {}.", format_count(engine.packets),
                      format_count(engine.missed), engine.missed_what);
  if (engine.entry_probability && *engine.entry_probability < 1)
    text +=
        fmt::format(" At the end 1 of {:.3g} requests was let in.", 1 / *engine.entry_probability);
  if (engine.cost_ns)
    text += fmt::format(" {:.0f} ns a packet in the kernel's program.", *engine.cost_ns);
  text += fmt::format(" Memory: {} in the kernel, {} in this process.",
                      format_size(engine.kernel_bytes), format_size(engine.process_bytes));
  line("");
  paragraph(text);
}

void TextReport::nothing_measured() {
  line("\n" + styled("No round trip was measured.", "1"));
  std::uint64_t requests = 0, ambiguous = 0, skipped = 0;
  for (std::size_t i = 0; i < kind_count; ++i) {
    requests += measurement_.counters(static_cast<Kind>(i)).requests;
    ambiguous += measurement_.counters(static_cast<Kind>(i)).ambiguous;
  }
  for (const auto& [reason, count] : report_.input.skipped) skipped += count;

  if (report_.input.packets == 0)
    paragraph("The input holds no packets. If a --filter was given, it let none through.");
  else if (requests > 0)
    paragraph(fmt::format(
        "{} requests were seen{}, but no response to any of them. Does the capture hold both "
        "directions? Are its responses later than --expire?",
        format_count(requests),
        ambiguous > 0
            ? fmt::format(" ({} of them ambiguous: see --keep-ambiguous)", format_count(ambiguous))
            : ""));
  else if (skipped >= report_.input.packets)
    paragraph("Every packet was skipped, for the reasons given below.");
  else {
    std::string kinds;
    for (std::size_t i = 0; i < kind_count; ++i)
      if (report_.kinds.has(static_cast<Kind>(i)))
        kinds += (kinds.empty() ? "" : ", ") + std::string{kind_names[i]};
    paragraph(fmt::format(
        "No packet is a request of the kinds asked for ({}). Other kinds can be asked for with "
        "--kind; --inside and --filter may have left them out.",
        kinds));
  }
}

}  // namespace

std::string text_report(const RttReport& report, const TextOptions& options) {
  return TextReport{report, options}.write();
}

}  // namespace sojourn
