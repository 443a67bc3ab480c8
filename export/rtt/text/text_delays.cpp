#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "estimate/estimates_of.h"
#include "export/charts/delay_axis.h"
#include "export/charts/sparkline.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {

using Align = TextTable::Align;

std::vector<std::string> TextReport::delay_cells(
    const Distribution& distribution, const std::vector<QuantileEstimate>& quantiles) const {
  return {compact_count(distribution.count()),
          compact(*distribution.min()),
          with_margin(quantiles[0].delay, quantiles[0].interval, unicode()),
          compact(quantiles[1].delay),
          compact(quantiles[2].delay),
          compact(*distribution.max()),
          compact(*distribution.mean())};
}

void TextReport::delays() {
  line("");
  TextTable rows({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right,
                  Align::right, Align::right, Align::right});
  rows.row({"kind", "leg", "samples", "min", unicode() ? "median ±95%" : "median +-95%", "p95",
            "p99", "max", "mean"});
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
    // The sum first.  Legs are not pooled: half of 25 us and half of 20 ms have no common median.
    if (const auto& sum = measurement_.leg(kind, Leg::sum); !sum.empty())
      add_row(name_of(Leg::sum), sum);
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
  struct Row {
    std::string name;
    const Distribution* distribution;
  };
  std::vector<Row> rows;
  for (const Kind kind : measured_kinds()) {
    // The sum is nearly its longer half: its row is enough, and the table has the halves.
    const bool sum = !measurement_.leg(kind, Leg::sum).empty();
    bool first = true;
    for (const Leg leg : measured_legs(kind)) {
      if (sum && leg != Leg::sum) continue;
      const auto& delays = measurement_.leg(kind, leg);
      low = low ? std::min(*low, *delays.min()) : *delays.min();
      high = high ? std::max(*high, *delays.max()) : *delays.max();
      rows.push_back({fmt::format("{:9} {}", first ? name_of(kind) : "", name_of(leg)), &delays});
      name_width = std::max(name_width, rows.back().name.size());
      first = false;
    }
  }
  const DelayAxis axis{*low, *high};
  const std::size_t room = width - 2 - name_width;
  section("where the delays lie (each row to its own peak, logarithmic)");
  for (const Row& row : rows)
    line(fmt::format("{:{}}  {}", row.name, name_width,
                     sparkline(*row.distribution, axis, room, unicode())));
  for (const auto& text : axis_lines(axis, room, unicode()))
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
  // What a fixed-memory table leaves out, and what its samples say about all requests.
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
  for (const Kind kind : asked) {
    std::string reasons;
    for (std::size_t i = 0; i < UnclearCounters::size; ++i)
      if (const auto count = measurement_.counters(kind).unclear[static_cast<Unclear>(i)];
          count > 0)
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", format_count(count),
                               unclear_words[i]);
    if (!reasons.empty()) paragraph(fmt::format("{}, ambiguous: {}", name_of(kind), reasons), "  ");
  }
  if (!estimates) return;
  std::string reasons;
  for (std::size_t i = 0; i < LeftOutCounters::size; ++i)
    if (const std::uint64_t count = left_out[static_cast<LeftOut>(i)]; count > 0)
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", format_count(count),
                             left_out_words[i]);
  paragraph("left out: " + reasons, "  ");
}

}  // namespace sojourn
