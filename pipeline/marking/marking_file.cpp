#include "pipeline/marking/marking_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sojourn {
namespace {

std::string difference_of(const MarkingPointFile& one, const MarkingPointFile& other) {
  const auto differ = [&](std::string_view what, std::string_view a, std::string_view b) {
    return fmt::format("{} uses {} {}, {} {}: all points of a path must agree", one.point, what, a,
                       other.point, b);
  };
  if (one.method != other.method)
    return differ("marking", name_of(one.method), name_of(other.method));
  if (one.carrier != other.carrier) return differ("carrier", one.carrier, other.carrier);
  if (one.length != other.length)
    return differ("intervals of", one.length.name(), other.length.name());
  if (one.copies != other.copies)
    return fmt::format("{} looks for copies, {} does not: all points of a path must agree",
                       one.copies ? one.point : other.point, one.copies ? other.point : one.point);
  return {};
}

}  // namespace

void MarkingFileBuilder::add(Timestamp since, MarkingRecord record,
                             std::optional<MarkingFault> doubt, const std::string& flow) {
  record.drop_far_pulses();
  file.records.span.extend(since);
  file.records.span.extend(record.read_at);
  if (!flow.empty()) {
    const auto [known, is_new] =
        numbers_.try_emplace(flow, static_cast<std::uint32_t>(file.flows.size()));
    if (is_new) file.flows.push_back(flow);
    record.flow = known->second;
    file.records.records.push_back(record);
    return;
  }
  file.records.read.push_back(record.interval);
  readings_.push_back({record.interval, since, record.read_at});
  if (doubt) file.records.doubts.emplace_back(record.interval, *doubt);
}

/// Between two runs nobody counted.  An interval whose guard band reaches there is not known whole;
/// the collector judges those at the ends of all.
void MarkingFileBuilder::doubt_edges_of_runs() {
  if (readings_.empty()) return;
  const auto [first, last] = std::ranges::minmax(readings_, {}, &Reading::since);
  const Duration band = file.length.length() / 2;
  for (const Reading& one : readings_) {
    const bool begins =
        one.since != first.since && file.length.start_of(one.interval) - band < one.since;
    const bool ends =
        one.since != last.since && file.length.start_of(one.interval + 1) + band > one.read_at;
    if (begins || ends) file.records.doubts.emplace_back(one.interval, MarkingFault::not_recorded);
  }
}

MarkingPointFile MarkingFileBuilder::finish() {
  auto& read = file.records.read;
  std::ranges::sort(read);
  const auto [first, last] = std::ranges::unique(read);
  read.erase(first, last);
  doubt_edges_of_runs();
  std::ranges::sort(file.records.doubts);
  return std::move(file);
}

Result<JoinedMarking> join_marking(const std::vector<MarkingPointFile>& files) {
  JoinedMarking joined{.setup = {.method = files.front().method,
                                 .length = files.front().length,
                                 .carrier = *MarkingCarrier::parse("dscp"),
                                 .flows = {}},
                       .clock_error = {},
                       .points = {}};
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].duty == "mark")
      return failure(fmt::format("{} marks, so packets pass it before {}: name its records first",
                                 files[i].point, files.front().point));
  const auto carrier = MarkingCarrier::parse(files.front().carrier);
  if (!carrier) return std::unexpected(carrier.error());
  joined.setup.carrier = *carrier;
  std::map<std::string, std::uint32_t> flows;
  for (const MarkingPointFile& file : files) {
    if (const auto reason = difference_of(files.front(), file); !reason.empty())
      return failure(reason);
    PointRecords records = file.records;
    std::vector<std::uint32_t> numbers;  // in `joined`, by those of the file
    for (const std::string& text : file.flows) {
      const auto filter = MarkingFilter::parse(text);
      if (!filter) return std::unexpected(filter.error());
      // Versions differ in how they write a flow: "protocol=1" was what "protocol=icmp" is now.
      const auto [found, is_new] =
          flows.try_emplace(filter->text(), static_cast<std::uint32_t>(flows.size()));
      if (is_new) joined.setup.flows.push_back(*filter);
      numbers.push_back(found->second);
    }
    for (MarkingRecord& record : records.records) record.flow = numbers[record.flow];
    joined.points.push_back(std::move(records));
  }
  if (files.front().clock_error && files.back().clock_error)
    joined.clock_error = *files.front().clock_error + *files.back().clock_error;
  for (const MarkingPointFile& file : files)
    joined.largest_clock_error =
        std::max(joined.largest_clock_error, 2 * file.clock_error.value_or(Duration{}));
  return joined;
}

}  // namespace sojourn
