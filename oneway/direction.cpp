#include "oneway/direction.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// How much two clocks may drift apart in this time: 200 ppm, twice that of cheap crystals.
std::int64_t drift_ns(Timestamp from, Timestamp to) {
  const std::int64_t apart = to_ns(difference(to, from));
  return (apart < 0 ? -apart : apart) / 5'000;
}

}  // namespace

void DirectionFinder::reading(std::uint32_t flow, const FlowKey& key, Timestamp sent,
                              Duration delay) {
  if (flow >= states_.size()) states_.resize(std::max<std::size_t>(flow + 1, 2 * states_.size()));
  readings_ += bound_at_.has_value();
  if (const State state = states_[flow]; state.decided)
    bound(state.backward ? Direction::backward : Direction::forward, sent, delay);
  else
    decide(flow, key, {sent, delay, flow});
}

void DirectionFinder::decide(std::uint32_t flow, const FlowKey& key, const Reading& now) {
  State& state = states_[flow];
  if (state.tries < most_tries) {
    ++state.tries;
    if (meets_counterpart(flow, key, now)) return;
    if (awaited_.size() < most_awaited) awaited_.insert_or_assign(key, now);
  }
  if (!bound_at_) return;
  // The offset is between the bounds: wait for a counterpart to decide.
  const std::int64_t ns = to_ns(now.delay), drift = drift_ns(*bound_at_, now.sent);
  const bool outside = ns >= high_ns_ + drift || ns <= low_ns_ - drift;
  const bool given_up = state.tries == most_tries && std::abs(ns - middle_ns()) > drift;
  if (outside || given_up)
    settle(flow, ns > middle_ns() ? Direction::forward : Direction::backward, now.sent, now.delay);
}

bool DirectionFinder::meets_counterpart(std::uint32_t flow, const FlowKey& key,
                                        const Reading& now) {
  const auto found = awaited_.find(key.reversed());
  if (found == awaited_.end()) return false;
  const Reading other = found->second;
  const std::int64_t apart = to_ns(now.delay - other.delay);
  if (std::abs(apart) <= drift_ns(other.sent, now.sent)) return false;
  awaited_.erase(found);
  awaited_.erase(key);
  if (!bound_at_) {
    bound_at_ = now.sent;
    low_ns_ = to_ns(std::min(now.delay, other.delay));
    high_ns_ = to_ns(std::max(now.delay, other.delay));
  }
  const Direction greater = apart > 0 ? Direction::forward : Direction::backward;
  const Direction direction = known(other.flow) ? opposite(*known(other.flow)) : greater;
  if (!known(other.flow)) settle(other.flow, opposite(direction), other.sent, other.delay);
  settle(flow, direction, now.sent, now.delay);
  return true;
}

void DirectionFinder::settle(std::uint32_t flow, Direction direction, Timestamp sent,
                             Duration delay) {
  State& state = states_[flow];
  state.decided = true;
  state.backward = direction == Direction::backward;
  bound(direction, sent, delay);
}

/// The bounds move inwards immediately, and outwards as fast as clocks may drift.
void DirectionFinder::bound(Direction direction, Timestamp sent, Duration delay) {
  const std::int64_t ns = to_ns(delay), drift = drift_ns(*bound_at_, sent);
  if (sent > *bound_at_) bound_at_ = sent;
  low_ns_ -= drift;
  high_ns_ += drift;
  if (direction == Direction::forward) {
    contradictions_ += ns < low_ns_;
    high_ns_ = std::min(high_ns_, ns);
  } else {
    contradictions_ += ns > high_ns_;
    low_ns_ = std::max(low_ns_, ns);
  }
}

}  // namespace sojourn
