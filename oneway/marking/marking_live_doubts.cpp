#include "oneway/marking/marking_live_doubts.h"

#include <algorithm>

namespace sojourn {
namespace {

constexpr std::uint64_t enough = 4;  ///< packets in a quarter, to say that most have a colour

bool was_read(const PointRecords& point, const MarkingResult& result) {
  if (point.read.empty()) return true;
  const auto from = std::ranges::lower_bound(point.read, result.interval);
  const auto to = std::ranges::lower_bound(point.read, result.interval + result.intervals);
  return to - from >= result.intervals;
}

}  // namespace

LiveDoubts::LiveDoubts(MarkingMethod method, const PointRecords& first, const PointRecords& last)
    : first_(first), last_(last) {
  for (const MarkingRecord& record : first.records)
    if (record.marked_before > 0) in_use_.emplace(record.flow, record.interval);
  find_other_values(first, last);
  if (measures_loss(method)) find_constant_colours(last);
}

void LiveDoubts::find_other_values(const PointRecords& first, const PointRecords& last) {
  std::map<Place, std::uint64_t> left, came;
  for (const MarkingRecord& record : first.records)
    if (record.other > 0) left[{record.flow, record.interval}] += record.other;
  for (const MarkingRecord& record : last.records)
    if (record.other > 0) came[{record.flow, record.interval}] += record.other;
  for (const auto& [place, count] : came) {
    std::uint64_t around = 0;
    for (std::int64_t i = -1; i <= 1; ++i)
      if (const auto found = left.find({place.first, place.second + i}); found != left.end())
        around += found->second;
    if (count <= around) continue;
    for (std::int64_t i = -1; i <= 1; ++i) rewritten_.emplace(place.first, place.second + i);
  }
}

void LiveDoubts::find_constant_colours(const PointRecords& last) {
  std::map<Place, std::pair<std::uint64_t, std::uint64_t>> middles;
  for (const MarkingRecord& record : last.records) {
    auto& [middle, contrary] = middles[{record.flow, record.interval}];
    middle += record.middle;
    contrary += record.contrary;
  }
  const auto is_contrary = [&](const Place& place) {
    const auto found = middles.find(place);
    return found != middles.end() && found->second.first >= enough &&
           found->second.second * 2 > found->second.first;
  };
  const auto agrees = [&](const Place& place) {
    const auto found = middles.find(place);
    return found != middles.end() && found->second.first >= enough &&
           found->second.second * 2 <= found->second.first;
  };
  for (const auto& [place, counts] : middles) {
    const auto [flow, interval] = place;
    if (!is_contrary(place) || !(agrees({flow, interval - 1}) || agrees({flow, interval + 1})))
      continue;
    for (std::int64_t i = -1; i <= 1; ++i) rewritten_.emplace(flow, interval + i);
  }
}

void LiveDoubts::add_to(MarkingResult& result) const {
  for (const PointRecords* point : {&first_, &last_}) {
    if (!was_read(*point, result)) result.add(MarkingFault::not_recorded);
    const std::int64_t end = result.interval + result.intervals;
    auto doubt = std::ranges::lower_bound(point->doubts, result.interval, {},
                                          &std::pair<std::int64_t, MarkingFault>::first);
    for (; doubt != point->doubts.end() && doubt->first < end; ++doubt) result.add(doubt->second);
  }
  const Place place{result.flow, result.interval};
  // Without marking, nothing was rewritten.
  if (rewritten_.contains(place) && was_read(first_, result)) result.add(MarkingFault::rewritten);
  if (in_use_.contains(place)) result.add(MarkingFault::in_use);
}

}  // namespace sojourn
