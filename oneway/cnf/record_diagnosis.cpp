#include "oneway/cnf/record_diagnosis.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/flow_key.h"
#include "oneway/median_of.h"

namespace sojourn {
namespace {

struct Times {
  Timestamp first, last;
};
Times times_of(std::span<const FlowRecord> records) {
  Times times{records.front().first, records.front().last};
  for (const FlowRecord& record : records) {
    times.first = std::min(times.first, record.first);
    times.last = std::max(times.last, record.last);
  }
  return times;
}

/// What the two files have in common, whatever the times are.
struct Common {
  std::size_t flows = 0;
  std::vector<Duration> differences;  ///< of records with an equal first label
};
Common common_in(std::span<const FlowRecord> first, std::span<const FlowRecord> last) {
  std::map<FlowKey, std::map<std::uint32_t, Timestamp>> sent;
  for (const FlowRecord& record : first) sent[record.key].emplace(record.first_label, record.first);
  Common common;
  for (const FlowRecord& record : last) {
    const auto flow = sent.find(record.key);
    if (flow == sent.end()) continue;
    ++common.flows;
    if (const auto found = flow->second.find(record.first_label); found != flow->second.end())
      common.differences.push_back(difference(record.first, found->second));
  }
  return common;
}

}  // namespace

RecordDiagnosis diagnose_records(std::span<const FlowRecord> first,
                                 std::span<const FlowRecord> last) {
  using What = RecordDiagnosis::What;
  if (first.empty()) return {.what = What::no_records, .point = Point::first};
  if (last.empty()) return {.what = What::no_records, .point = Point::last};
  const Common common = common_in(first, last);
  if (!common.differences.empty())
    return {.what = What::beyond_the_window,
            .common = common.differences.size(),
            .apart = median_of(common.differences)};
  // A few common flows may be a coincidence: ports are reused.
  if (common.flows * 2 > std::min(first.size(), last.size()))
    return {.what = What::different_labels, .common = common.flows};
  const Times sent = times_of(first), received = times_of(last);
  const bool apart = sent.last < received.first || received.last < sent.first;
  return {.what = apart ? What::apart_in_time : What::different_traffic};
}

}  // namespace sojourn
