#include "export/rtt/report_intervals.h"

#include <algorithm>
#include <utility>

namespace sojourn {
namespace {

/// What each counter has grown by.
std::vector<NamedCount> growth(const std::vector<NamedCount>& total,
                               const std::vector<NamedCount>& before) {
  std::vector<NamedCount> grown = total;
  for (auto& [name, count] : grown)
    if (const auto found = std::ranges::find(before, name, &NamedCount::first);
        found != before.end())
      count -= found->second;
  return grown;
}

void subtract(EngineSummary& engine, const EngineSummary& before) {
  engine.packets -= before.packets;
  engine.missed -= before.missed;
  engine.asked -= before.asked;
  engine.turned_away -= before.turned_away;
}

}  // namespace

RttReport ReportIntervals::since_last(RttReport total, Timestamp end) {
  end = std::max(end, start_);
  RttReport report = total;
  report.interval = {++number_, start_, end};
  report.input.first = std::exchange(start_, end);
  report.input.last = end;
  report.input.packets -= input_.packets;
  report.input.bytes -= input_.bytes;
  report.input.skipped = growth(total.input.skipped, input_.skipped);
  std::erase_if(report.input.skipped, [](const NamedCount& one) { return one.second == 0; });
  report.table.counters = growth(total.table.counters, table_);
  if (report.engine && engine_) subtract(*report.engine, *engine_);
  // Its warning is about the whole run; the number of the interval is among those skipped.
  report.input.kernel_drops = report.input.passed = 0;
  table_ = std::move(total.table.counters);
  input_ = std::move(total.input);
  engine_ = std::move(total.engine);
  return report;
}

}  // namespace sojourn
