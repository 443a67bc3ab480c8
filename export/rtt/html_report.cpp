#include "export/rtt/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "estimate/estimates_of.h"
#include "estimate/path_legs.h"
#include "estimate/unanswered.h"
#include "export/rtt/expect_text.h"
#include "export/rtt/html_page.h"
#include "export/rtt/input_text.h"
#include "export/rtt/report_groups.h"
#include "export/rtt/share_text.h"
#include "export/rtt/svg_heatmap.h"
#include "export/rtt/svg_plot.h"
#include "export/text_cells.h"

namespace sojourn {
namespace {

using Rows = std::vector<std::vector<std::string>>;

class HtmlReport {
 public:
  explicit HtmlReport(const RttReport& report)
      : report_(report),
        measurement_(*report.measurement),
        page_("Round-trip delays: " + (report.input.files.empty() ? std::string{"no input"}
                                                                  : report.input.files.front())) {}

  std::string write() && {
    input();
    path();
    figures();
    distributions();
    heatmap();
    groups();
    changes();
    loss();
    verdicts();
    requests();
    not_measured();
    return std::move(page_).finish();
  }

 private:
  void input() {
    const InputSummary& input = report_.input;
    if (input.files.size() > 1)
      page_.paragraph(fmt::format("and {} more inputs", input.files.size() - 1));
    std::string text =
        fmt::format("{} packets, {}", format_count(input.packets), format_size(input.bytes));
    if (input.first && input.last)
      text += fmt::format(", {} from {} {} UTC", format_duration(*input.last - *input.first),
                          format_time(*input.first).substr(0, 10),
                          format_time(*input.first).substr(11, 8));
    page_.paragraph(text);
    for (const std::string& loss : input_losses(input)) page_.note(loss, true);
    for (const std::string& warning : input.warnings) page_.note(warning, true);
  }

  void path() {
    const auto path = path_legs(measurement_);
    if (!path) return;
    page_.heading("Which leg the delay is on");
    const bool far = path->far_share() >= 0.5;
    page_.note(fmt::format("{:.1f} % of the median is on the {} leg{}",
                           100 * std::max(path->far_share(), 1 - path->far_share()),
                           name_of(far ? path->far.leg : path->near.leg),
                           path->certain() ? "." : "; there are too few flows to be sure."));
    Rows rows = {{"leg", "median ±95%", "p95", "samples"}};
    for (const PathLegs::Side* side : {&path->near, &path->far})
      rows.push_back({std::string{name_of(side->leg)},
                      with_margin(side->median.delay, side->median.interval, true),
                      compact(side->p95.delay), format_count(side->samples)});
    page_.table(rows, 1, 4);
    page_.paragraph(
        fmt::format("By {}, seen from where the capture was taken.", name_of(path->kind)));
  }

  void figures() {
    Rows rows = {{"kind", "leg", "samples", "min", "median ±95%", "p95", "p99", "max", "mean"}};
    for (std::size_t k = 0; k < kind_count; ++k)
      for (std::size_t l = 0; l < leg_count; ++l) {
        const Kind kind = static_cast<Kind>(k);
        const Leg leg = static_cast<Leg>(l);
        const Distribution& delays = measurement_.leg(kind, leg);
        if (delays.empty()) continue;
        const auto q = delays.estimates(std::array{0.5, 0.95, 0.99});
        rows.push_back({std::string{name_of(kind)}, std::string{name_of(leg)},
                        format_count(delays.count()), compact(*delays.min()),
                        with_margin(q[0].delay, q[0].interval, true), compact(q[1].delay),
                        compact(q[2].delay), compact(*delays.max()), compact(*delays.mean())});
      }
    page_.heading("Delays by kind and leg");
    if (rows.size() == 1) return page_.note("No round trip was measured.", true);
    page_.table(rows, 2, 9);
    page_.paragraph(
        "± covers the true median with 95 % confidence, by how much flows differ; ? stands where "
        "there are too few to tell.");
  }

  void distributions() {
    if (measurement_.samples() == 0) return;
    page_.heading("Distributions");
    page_.picture(svg_plot(report_));
  }

  void heatmap() {
    if (!measurement_.heatmap() || measurement_.samples() == 0) return;
    page_.heading("Delay over time");
    // One picture for each kind, so that no page break is inside one.
    RttReport one = report_;
    one.kinds_named = true;
    for (std::size_t k = 0; k < kind_count; ++k) {
      const Kind kind = static_cast<Kind>(k);
      if (!report_.kinds.has(kind) || measurement_.pooled(kind).empty()) continue;
      one.kinds = KindSet::none();
      one.kinds.add(kind);
      page_.picture(svg_heatmap(one, false));
    }
    page_.paragraph("A column is about the requests that were sent then.");
  }

  void groups() {
    if (!measurement_.grouping()) return;
    const auto groups = report_groups(report_);
    page_.heading(fmt::format("{} of {} groups by {}, {}", groups.size(),
                              format_count(measurement_.group_count()),
                              measurement_.grouping()->name(), words_for(report_.sort)));
    Rows rows = {{"group", "kind", "leg", "samples", "median", "p95", "p99"}};
    for (const auto& group : groups) {
      const auto q = group.distribution->quantiles(std::array{0.5, 0.95, 0.99});
      rows.push_back({group.label, std::string{name_of(group.kind)},
                      std::string{name_of(group.leg)}, format_count(group.distribution->count()),
                      compact(q[0]), compact(q[1]), compact(q[2])});
    }
    page_.table(rows, 3, 7);
  }

  void changes() {
    if (!report_.changes) return;
    page_.heading(report_.changes->at ? "What changed at " +
                                            format_time(*report_.changes->at).substr(0, 19) + " UTC"
                                      : "What changed since " + report_.expect->file);
    Rows rows = {{"group", "kind", "leg", "verdict", "median was", "is", "p95 was", "is"}};
    for (const GroupChange& change : report_.changes->shown)
      rows.push_back({change.label, std::string{name_of(change.kind)},
                      std::string{name_of(change.leg)}, std::string{name_of(change.verdict)},
                      compact(change.before.median), compact(change.after.median),
                      compact(change.before.p95), compact(change.after.p95)});
    if (rows.size() > 1) page_.table(rows, 4, 8);
    page_.paragraph(changes_sentence(*report_.changes));
  }

  void loss() {
    if (!report_.loss) return;
    Rows rows = {{"tcp to", "segments", "retransmitted", "spurious", "late", "reordered",
                  "duplicate ACKs", "zero windows", "resets"}};
    for (std::size_t i = 0; i < leg_count; ++i) {
      const LossCounts& counts = report_.loss->leg(static_cast<Leg>(i));
      if (counts.empty()) continue;
      std::vector<std::string> row = {
          std::string{leg_names[i]},
          format_count(static_cast<std::uint64_t>(std::llround(counts.weight(LossSign::segment))))};
      for (std::size_t s = index_of(LossSign::retransmitted); s < loss_sign_count; ++s)
        row.push_back(share_cell(counts.share(static_cast<LossSign>(s))));
      rows.push_back(std::move(row));
    }
    const bool has_tcp = rows.size() > 1;
    if (has_tcp) {
      page_.heading("Signs of loss");
      page_.table(rows, 1, 9);
      page_.paragraph(
          "Retransmitted: bytes that passed here before, so lost behind the capture, on the leg of "
          "the row, unless spurious. Late: fills a hole after a round trip, so lost before the "
          "capture, on the other leg; reordered: at once. Shares of segments; the last three of "
          "packets.");
    }
    if (report_.loss->grouping() && report_.top > 0) loss_groups();
  }

  void loss_groups() {
    const Grouping& grouping = *report_.loss->grouping();
    const bool by_share = report_.sort == GroupOrder::lost;
    const std::string_view order = by_share ? "highest share" : "most";
    Rows rows = {{"group", "tcp to", "segments", "retransmitted", "late"}};
    for (const LossTally::Row& group : report_.loss->groups(report_.top, by_share))
      rows.push_back({group.label, std::string{name_of(group.leg)},
                      format_count(static_cast<std::uint64_t>(
                          std::llround(group.counts->weight(LossSign::segment)))),
                      share_cell(group.counts->share(LossSign::retransmitted)),
                      share_cell(group.counts->share(LossSign::late))});
    if (rows.size() > 1) {
      page_.heading(fmt::format("Signs of loss by {}, {} first", grouping.name(), order));
      page_.table(rows, 2, 5);
    }
    rows = {{"group", "kind", "requests", "without an answer"}};
    for (const LossTally::RequestRow& group : report_.loss->request_groups(report_.top, by_share))
      rows.push_back({group.label, std::string{name_of(group.kind)}, format_count(group.requests),
                      share_cell(group.unanswered)});
    if (rows.size() == 1) return;
    page_.heading(fmt::format("Unanswered requests by {}, {} first", grouping.name(), order));
    page_.table(rows, 2, 4);
  }

  void verdicts() {
    if (report_.sla.empty() && report_.sla_groups.empty() && !report_.expect) return;
    page_.heading("Verdicts");
    Rows rows = {{"rule", "leg", "verdict", "value"}};
    const auto add = [&](const SlaResult& result) {
      std::string value = result.share   ? share_sentence(*result.share)
                          : result.value ? format_duration(*result.value)
                                         : "no samples";
      rows.push_back({result.group ? result.rule + ": " + *result.group : result.rule,
                      result.leg ? std::string{name_of(*result.leg)} : "",
                      std::string{name_of(result.verdict)}, std::move(value)});
    };
    for (const SlaResult& result : report_.sla) add(result);
    for (const SlaGroups& groups : report_.sla_groups)
      for (const SlaResult& result : groups.shown) add(result);
    if (rows.size() > 1) page_.table(rows, 4, 4);
    if (!report_.expect) return;
    page_.paragraph("Compared with " + report_.expect->file + ":");
    for (const ExpectResult& result : report_.expect->comparison.results)
      page_.note(fmt::format("{}.{}: {}", name_of(result.kind), name_of(result.leg),
                             expect_sentence(result)),
                 result.shifted());
    page_.paragraph(expect_promise(report_.expect->comparison));
  }

  void requests() {
    Rows rows = {{"kind", "requests", "samples", "ambiguous", "without an answer", "left out"}};
    for (std::size_t i = 0; i < kind_count; ++i) {
      const Kind kind = static_cast<Kind>(i);
      const KindCounters& counters = measurement_.counters(kind);
      if (counters.requests + counters.ambiguous == 0) continue;
      std::string unanswered = format_count(measurement_.unmatched_requests(kind));
      if (unanswered_means_lost(kind))
        unanswered += " = " + share_cell(unanswered_share(measurement_, kind));
      rows.push_back({std::string{name_of(kind)}, format_count(counters.requests),
                      format_count(measurement_.pooled(kind).count()),
                      format_count(counters.ambiguous), std::move(unanswered),
                      format_count(counters.left_out.total())});
    }
    if (rows.size() == 1) return;
    page_.heading("What became of the requests");
    page_.table(rows, 1, 6);
    page_.paragraph(
        "Ambiguous requests were sent more than once: nobody can tell which copy was answered. For "
        "tcp, one acknowledgment answers several segments, so most of the rest was not lost.");
  }

  void not_measured() {
    page_.heading("What could not be measured");
    bool any = false;
    const auto list = [&](const std::vector<NamedCount>& counts, std::string_view what) {
      std::string text;
      for (const auto& [reason, count] : counts)
        if (count > 0)
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), reason);
      if (text.empty()) return;
      page_.paragraph(fmt::format("{}: {}", what, text));
      any = true;
    };
    list(report_.input.skipped, "Packets skipped");
    list(report_.table.counters, "The table " + report_.table.name);
    for (const Kind kind : {Kind::tcp, Kind::tcp_ts})
      if (const auto guessed = measurement_.counters(kind).guessed_legs; guessed > 0) {
        page_.paragraph(
            fmt::format("{} samples of {} have a leg that was guessed by port: the "
                        "capture lacks the SYN.",
                        format_count(guessed), name_of(kind)));
        any = true;
      }
    if (!any) page_.paragraph("Every packet could be used.");
  }

  const RttReport& report_;
  const Measurement& measurement_;
  HtmlPage page_;
};

}  // namespace

std::string html_report(const RttReport& report) { return HtmlReport{report}.write(); }

}  // namespace sojourn
