#pragma once
// One distribution per group, kind and leg, with a bounded number of groups.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/kind.h"
#include "estimate/distribution/distribution.h"
#include "estimate/grouping.h"

namespace sojourn {

/// What identifies a group's distribution.
struct GroupId {
  GroupKey key;
  Kind kind = Kind::tcp;
  Leg leg = Leg::server;  ///< two legs may differ a thousandfold: a group never mixes them

  friend bool operator==(const GroupId&, const GroupId&) = default;
};

/// At most `max_groups` groups.  Samples of later groups are not lost: they go to one group "other"
/// per kind and leg, and overflowed() counts them.
class Groups {
 public:
  static constexpr std::size_t default_max_groups = 1'000'000;

  struct Entry {
    GroupId id;
    const Distribution* distribution;
  };

  explicit Groups(std::size_t max_groups = default_max_groups, Keep keep = Keep::histogram)
      : max_groups_(max_groups), keep_(keep) {}

  void add(const GroupId& id, Duration delay, double weight, FlowTag flow);
  /// A sample without a flow counts as its own flow.
  void add(const GroupId& id, Duration delay, double weight);
  void merge(const Groups& other);

  std::size_t size() const { return groups_.size(); }
  std::uint64_t overflowed() const { return overflowed_; }

  /// nullptr if there is no such group.
  const Distribution* find(const GroupId& id) const {
    const auto found = groups_.find(id);
    return found == groups_.end() ? nullptr : &found->second;
  }
  /// In no particular order; valid until the next add() or merge().
  std::vector<Entry> entries() const;

 private:
  struct Hash {
    std::size_t operator()(const GroupId& id) const {
      return hash_of(id.key) ^
             ((index_of(id.kind) * leg_count + index_of(id.leg)) * 0x9e3779b97f4a7c15u);
    }
  };

  Distribution& room_for(const GroupId& id, std::uint64_t samples);

  std::unordered_map<GroupId, Distribution, Hash> groups_;
  std::size_t max_groups_;
  Keep keep_;
  std::uint64_t overflowed_ = 0;
};

}  // namespace sojourn
