#pragma once
// Records of one point in the collector's order: flow by flow, then by time.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// Indices of `records`, sorted by key and then by first time.
inline std::vector<std::uint32_t> by_key_and_time(std::span<const FlowRecord> records) {
  std::vector<std::uint32_t> order(records.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [records](std::uint32_t a, std::uint32_t b) {
    const auto by_key = records[a].key <=> records[b].key;
    return by_key != 0 ? by_key < 0 : records[a].first < records[b].first;
  });
  return order;
}

/// Calls visit(first records, last records) for every key of the first point; the second list is
/// empty if the last point never saw the flow.
template <class Visit>
void for_each_key(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                  Visit visit) {
  const std::vector<std::uint32_t> ours = by_key_and_time(first), theirs = by_key_and_time(last);
  std::size_t there = 0;
  for (std::size_t here = 0; here < ours.size();) {
    const FlowKey& key = first[ours[here]].key;
    std::size_t end = here;
    while (end < ours.size() && first[ours[end]].key == key) ++end;
    while (there < theirs.size() && last[theirs[there]].key < key) ++there;
    std::size_t there_end = there;
    while (there_end < theirs.size() && last[theirs[there_end]].key == key) ++there_end;
    visit(std::span{ours}.subspan(here, end - here),
          std::span{theirs}.subspan(there, there_end - there));
    here = end;
    there = there_end;
  }
}

}  // namespace sojourn
