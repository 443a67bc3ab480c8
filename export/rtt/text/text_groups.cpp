#include <fmt/format.h>

#include <vector>

#include "core/units.h"
#include "export/rtt/report_groups.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {

using Align = TextTable::Align;

void TextReport::windows() {
  const auto window_rows = measurement_.window_rows();
  if (window_rows.empty()) return;
  const bool subsecond = *measurement_.window() % std::chrono::seconds{1} != Duration{0};
  TextTable rows({Align::left, Align::left, Align::left, Align::right, Align::right, Align::right,
                  Align::right, Align::right});
  rows.row({"start", "kind", "leg", "samples", "p50", "p95", "p99", "max"});
  std::string day, previous;
  std::optional<Kind> previous_kind;
  for (const auto& row : window_rows) {
    const std::string time = format_time(row.start);
    if (day.empty()) day = time.substr(0, 10);
    // The day is in the title; a row of another day shows its own.
    std::string start = time.substr(0, 10) == day
                            ? time.substr(11, subsecond ? 15 : 8)
                            : time.substr(0, 10) + " " + time.substr(11, subsecond ? 15 : 8);
    const std::vector<double> qs = {0.5, 0.95, 0.99};
    const auto delays = row.distribution->quantiles(qs);
    const bool same_start = start == previous;
    const bool same_kind = same_start && previous_kind == row.kind;
    rows.row({same_start ? "" : start, same_kind ? "" : std::string{name_of(row.kind)},
              std::string{name_of(row.leg)}, compact_count(row.distribution->count()),
              compact(delays[0]), compact(delays[1]), compact(delays[2]),
              compact(*row.distribution->max())});
    previous_kind = row.kind;
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
  const auto groups = report_groups(report_);
  if (groups.empty()) return;
  // The name comes last: it may be long, and numbers stay aligned.
  TextTable rows({Align::right, Align::right, Align::right, Align::right, Align::left, Align::left,
                  Align::left});
  rows.row({"samples", "p50", "p95", "p99", "kind", "leg", measurement_.grouping()->name()});
  for (const auto& group : groups) {
    const std::vector<double> qs = {0.5, 0.95, 0.99};
    const auto delays = group.distribution->quantiles(qs);
    rows.row({compact_count(group.distribution->count()), compact(delays[0]), compact(delays[1]),
              compact(delays[2]), std::string{name_of(group.kind)}, std::string{name_of(group.leg)},
              group.label});
  }
  section(fmt::format("{} of {} groups by {}, {}", groups.size(),
                      format_count(measurement_.group_count()), measurement_.grouping()->name(),
                      words_for(report_.sort)));
  table(rows);
  if (is_by_delay(report_.sort))
    line(fmt::format("Groups with fewer than {} samples come last.", enough_to_rank));
  if (const auto beyond = measurement_.samples_beyond_groups(); beyond > 0)
    line(fmt::format("{} samples are in the group \"other\": there were too many groups.",
                     format_count(beyond)));
}

}  // namespace sojourn
