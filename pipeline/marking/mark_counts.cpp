#include "pipeline/marking/mark_counts.h"

#include <fmt/format.h>

#include <algorithm>

namespace sojourn {
namespace {

std::string text_of(const MarkingRun& run) {
  return fmt::format("{} {} in {}, intervals of {}{}", run.duty, run.method, run.carrier,
                     MarkingInterval{run.exponent}.name(), run.copies ? ", copies" : "");
}

MarkingRecord record_of(const MarkCount& count, MarkingInterval length) {
  MarkingRecord record{.length = length, .judged_by = length, .interval = count.interval};
  record.packets = count.packets;
  record.pulses = count.pulses;
  record.pulse_time = count.pulse_time;
  record.repeats = count.repeats;
  record.late = count.late;
  record.early = count.early;
  record.middle = count.middle;
  record.contrary = count.contrary;
  record.other = count.other;
  record.marked_before = count.marked_before;
  record.read_at = count.read_at;
  return record;
}

/// A reason that this program does not know, of a newer point, is one all the same.
std::optional<MarkingFault> doubt_of(const MarkCount& count) {
  if (count.doubt.empty()) return std::nullopt;
  const auto fault = std::ranges::find(marking_fault_names, count.doubt);
  if (fault == marking_fault_names.end()) return MarkingFault::not_recorded;
  return static_cast<MarkingFault>(fault - marking_fault_names.begin());
}

}  // namespace

std::vector<MarkCount> counts_of(const MarkingSetup& setup, const MarkingReport& report) {
  MarkCount common;
  common.interval = report.interval;
  common.start = setup.length.start_of(report.interval);
  common.read_at = report.read_at;
  if (report.doubt) common.doubt = marking_fault_names[static_cast<std::size_t>(*report.doubt)];
  std::vector<MarkCount> counts = {common};
  for (const MarkingRecord& record : report.records) {
    MarkCount& count = counts.emplace_back(common);
    count.flow = setup.flows[record.flow].text();
    count.packets = record.packets;
    count.pulses = record.pulses;
    if (record.pulses > 0) count.pulse_time = record.pulse_time;
    count.late = record.late;
    count.early = record.early;
    count.middle = record.middle;
    count.contrary = record.contrary;
    count.other = record.other;
    count.marked_before = record.marked_before;
    count.repeats = record.repeats;
  }
  return counts;
}

Result<MarkingPointFile> marking_file_of(const std::string& point,
                                         const std::vector<PointMarks>& runs) {
  if (runs.empty()) return failure(point + " has sent no marks of this time");
  MarkingFileBuilder builder;
  const MarkingRun& first = runs.front().run;
  const auto method = marking_method_named(first.method);
  if (!method) return failure(fmt::format("{}: unknown marking {}", point, first.method));
  builder.file.point = point;
  builder.file.duty = first.duty;
  builder.file.method = *method;
  builder.file.carrier = first.carrier;
  builder.file.length = MarkingInterval{first.exponent};
  builder.file.copies = first.copies;
  for (const PointMarks& marks : runs) {
    if (text_of(marks.run) != text_of(first))
      return failure(
          fmt::format("{} has changed in this time, from '{}' to '{}': ask for the time of "
                      "one of them",
                      point, text_of(first), text_of(marks.run)));
    // As in the lines of a file: nobody knows less than another run knew.
    builder.file.clock_error = std::max(builder.file.clock_error, marks.run.clock_error);
    for (const MarkCount& count : marks.counts) {
      builder.add(marks.run.since, record_of(count, builder.file.length), doubt_of(count),
                  count.flow);
    }
  }
  return builder.finish();
}

}  // namespace sojourn
