#pragma once
// The direction of a flow's packets between the two points, for any clock offset.

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/flow_key.h"
#include "core/time.h"

namespace sojourn {

enum class Direction : std::uint8_t { forward, backward };  // FIRST to LAST, LAST to FIRST

constexpr std::string_view name_of(Direction direction) {
  return direction == Direction::forward ? "first-to-last" : "last-to-first";
}

constexpr Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

/// Captures on hosts and on links hold both directions.  A packet from FIRST to LAST reads d +
/// offset, one in the other direction -d' + offset; neither d nor d' is negative.  So of a flow and
/// its counterpart the greater reading is forward, for any offset of the clocks.  Once one pair has
/// bounded the offset, a reading above it is forward and one below it backward.
///
/// A flow is decided once.  Clocks drift by at most 200 ppm, so an old reading is compared only as
/// far as that leaves no doubt.  Traffic without counterparts counts as forward: a capture of one
/// direction with a slow clock is not the other direction.
class DirectionFinder {
 public:
  /// A delay of the flow; readings come nearly in the order of time.  `flow` counts from 0, without
  /// large gaps.
  void reading(std::uint32_t flow, const FlowKey& key, Timestamp sent, Duration delay);

  /// The direction, if known by now.
  std::optional<Direction> known(std::uint32_t flow) const {
    const State state = flow < states_.size() ? states_[flow] : State{};
    if (!state.decided) return std::nullopt;
    return state.backward ? Direction::backward : Direction::forward;
  }
  /// The best guess for this delay of the flow: without any counterpart, forward.
  Direction likely(std::uint32_t flow, Duration delay) const {
    if (const auto direction = known(flow)) return *direction;
    return bound_at_ && to_ns(delay) < middle_ns() ? Direction::backward : Direction::forward;
  }
  /// Whether a flow and its counterpart were seen, and no reading contradicts them.
  bool both_ways() const { return bound_at_ && contradictions_ * 100 <= readings_; }

 private:
  struct State {
    bool decided : 1 = false;
    bool backward : 1 = false;
    std::uint8_t tries : 6 = 0;
  };
  struct Reading {
    Timestamp sent;
    Duration delay;
    std::uint32_t flow;
  };
  /// Memory is bounded: further flows are decided by the offset.
  static constexpr std::size_t most_awaited = 65'536;
  static constexpr std::uint8_t most_tries = 8;

  std::int64_t middle_ns() const { return low_ns_ + (high_ns_ - low_ns_) / 2; }
  void decide(std::uint32_t flow, const FlowKey& key, const Reading& now);
  bool meets_counterpart(std::uint32_t flow, const FlowKey& key, const Reading& now);
  void settle(std::uint32_t flow, Direction direction, Timestamp sent, Duration delay);
  void bound(Direction direction, Timestamp sent, Duration delay);

  std::vector<State> states_;
  std::unordered_map<FlowKey, Reading, FlowKeyHash>
      awaited_;  ///< of flows without counterpart as yet
  /// The offset is between the recent greatest reading backward and least reading forward.
  std::int64_t low_ns_ = 0, high_ns_ = 0;
  std::optional<Timestamp> bound_at_;
  std::uint64_t readings_ = 0, contradictions_ = 0;  ///< since the first pair
};

}  // namespace sojourn
