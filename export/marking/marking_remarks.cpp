#include "export/marking/marking_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sojourn {

std::vector<std::string> MarkingRemarks::of(const MarkingReport& report) {
  return who_.duty == MarkingDuty::mark ? of_the_marker(report) : of_a_reader(report);
}

std::vector<std::string> MarkingRemarks::of_the_marker(const MarkingReport& report) {
  const bool in_use = std::ranges::any_of(
      report.records, [](const MarkingRecord& record) { return record.marked_before > 0; });
  if (!in_use || std::exchange(in_use_, true)) return {};
  return {fmt::format(
      "{}: packets carry {} already; their intervals give no loss (--force overwrites it)",
      who_.point, who_.setup.carrier.name())};
}

std::vector<std::string> MarkingRemarks::of_a_reader(const MarkingReport& report) {
  std::vector<std::string> remarks;
  std::uint64_t middle = 0, contrary = 0, packets = 0, other = 0;
  for (const MarkingRecord& record : report.records) {
    middle += record.middle;
    contrary += record.contrary;
    packets += record.packets;
    other += record.other;
  }
  if (report.strays > 0)
    remarks.push_back(fmt::format("{}: {} packets came after their counters had been read",
                                  who_.point, report.strays));
  if (other > 20 && packets * 20 < other && !std::exchange(rewritten_, true))
    remarks.push_back(fmt::format(
        "{}: packets carry another value than marks in {}: something before this point rewrites it",
        who_.point, who_.setup.carrier.name()));
  const bool is_contrary = middle > 10 && contrary * 2 > middle;
  const bool agrees = middle > 10 && contrary * 20 < middle;
  if (((was_contrary_ && agrees) || (agreed_ && is_contrary)) && !std::exchange(rewritten_, true))
    remarks.push_back(
        fmt::format("{}: the marks in {} do not alternate: something before this point rewrites "
                    "them, or nothing marks these packets",
                    who_.point, who_.setup.carrier.name()));
  was_contrary_ = is_contrary;
  agreed_ = agrees;
  return remarks;
}

}  // namespace sojourn
