#include "pipeline/oneway/oneway_groups.h"

#include <algorithm>
#include <unordered_map>

#include "core/sample.h"
#include "pipeline/oneway/oneway_run.h"

namespace sojourn {

GroupKey group_of(const Grouping& grouping, const FlowKey& flow) {
  Sample sample;
  sample.requester = flow.source;
  sample.responder = flow.destination;
  sample.requester_port = flow.source_port;
  sample.responder_port = flow.destination_port;
  return grouping.key_of(sample);
}

std::vector<GroupDelay> groups_of(const Grouping& grouping, const OnewayMeasurement& measured) {
  struct Fate {
    std::uint64_t sent = 0, lost = 0;
  };
  struct Hash {
    std::size_t operator()(const GroupKey& key) const { return hash_of(key); }
  };
  std::unordered_map<GroupKey, Fate, Hash> fates;
  for (const FlowDelay& flow : measured.result.flows) {
    if (flow.direction == Direction::backward) continue;
    Fate& fate = fates[group_of(grouping, flow.key)];
    fate.sent += flow.packets;
    fate.lost += flow.lost.value_or(0);
  }
  std::vector<GroupDelay> groups;
  for (const Groups::Entry& entry : measured.groups.entries()) {
    const Fate fate = fates[entry.id.key];
    groups.push_back({grouping.label(entry.id.key), entry.distribution, fate.sent, fate.lost});
  }
  std::ranges::sort(groups, [](const GroupDelay& a, const GroupDelay& b) {
    return a.delays->count() != b.delays->count() ? a.delays->count() > b.delays->count()
                                                  : a.label < b.label;
  });
  return groups;
}

}  // namespace sojourn
