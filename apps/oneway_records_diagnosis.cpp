// Records of two points that do not go together: why not?

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "apps/oneway_records.h"
#include "core/units.h"

namespace sojourn {
namespace {

struct Times {
  Timestamp first, last;
};
Times times_of(const std::vector<FlowRecord>& records) {
  Times times{records.front().first, records.front().last};
  for (const FlowRecord& record : records) {
    times.first = std::min(times.first, record.first);
    times.last = std::max(times.last, record.last);
  }
  return times;
}

/// What the two files share, whatever the times say.
struct Common {
  std::size_t flows = 0;
  std::vector<Duration> differences;  ///< of records with an equal first label
};
Common common_in(const std::vector<FlowRecord>& first, const std::vector<FlowRecord>& last) {
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

std::string diagnose_records(const OnewayRequest& request, const std::vector<FlowRecord>& first,
                             const std::vector<FlowRecord>& last) {
  for (const auto& [name, records] :
       {std::pair{&request.first, &first}, std::pair{&request.last, &last}})
    if (records->empty()) return fmt::format("{} holds no flow records", *name);
  Common common = common_in(first, last);
  if (!common.differences.empty()) {
    const auto middle =
        common.differences.begin() + static_cast<std::ptrdiff_t>(common.differences.size() / 2);
    std::ranges::nth_element(common.differences, middle);
    const Duration apart = *middle;
    return fmt::format(
        "{} records are in both files, but about {} apart, beyond --window {}: LAST's clock seems "
        "to be {} FIRST's; "
        "try --clock-offset={:.3f}s",
        format_count(common.differences.size()),
        format_duration(apart < Duration{0} ? -apart : apart),
        format_duration(request.options.window), apart < Duration{0} ? "behind" : "ahead of",
        static_cast<double>((apart + request.clock_offset).count()) * 1e-9);
  }
  // A few flows are in both by chance: ports are reused.
  if (common.flows * 2 > std::min(first.size(), last.size()))
    return fmt::format(
        "{} records of {} are of flows that are in {}, but no label agrees: were both written with "
        "the same "
        "--sampling, --payload-bytes, --label and --label-init?",
        format_count(common.flows), request.last, request.first);
  const Times sent = times_of(first), received = times_of(last);
  const bool apart = sent.last < received.first || received.last < sent.first;
  return fmt::format("no flow of {} is in {}: they seem to be records of different traffic{}",
                     request.first, request.last, apart ? ", and they do not overlap in time" : "");
}

}  // namespace sojourn
