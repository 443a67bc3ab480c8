#include "estimate/groups.h"

namespace sojourn {

/// The group's distribution, or that of "other" when there is no room for a new group.
Distribution& Groups::room_for(const GroupId& id, std::uint64_t samples) {
  if (const auto found = groups_.find(id); found != groups_.end()) return found->second;
  if (groups_.size() < max_groups_ || id.key.other)
    return groups_.try_emplace(id, keep_).first->second;
  overflowed_ += samples;
  GroupId other{GroupKey{}, id.kind, id.leg};
  other.key.other = true;
  return groups_.try_emplace(other, keep_).first->second;
}

void Groups::add(const GroupId& id, Duration delay, double weight, FlowTag flow) {
  room_for(id, 1).add(delay, weight, flow);
}

void Groups::add(const GroupId& id, Duration delay, double weight) {
  room_for(id, 1).add(delay, weight);
}

void Groups::merge(const Groups& other) {
  overflowed_ += other.overflowed_;
  for (const auto& [id, distribution] : other.groups_)
    room_for(id, distribution.count()).merge(distribution);
}

std::vector<Groups::Entry> Groups::entries() const {
  std::vector<Entry> result;
  result.reserve(groups_.size());
  for (const auto& [id, distribution] : groups_) result.push_back({id, &distribution});
  return result;
}

}  // namespace sojourn
