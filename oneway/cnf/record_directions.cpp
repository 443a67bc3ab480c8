#include "oneway/cnf/record_directions.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "oneway/direction.h"

namespace sojourn {
namespace {

struct EndDelay {
  Timestamp sent;
  Duration delay;
  std::uint32_t flow;
  const FlowKey* key;
};

}  // namespace

DirectedAssociations by_direction(const Association& all, std::span<const FlowRecord> first) {
  std::unordered_map<FlowKey, std::uint32_t, FlowKeyHash> numbers;
  std::vector<EndDelay> ends;
  ends.reserve(2 * all.flows.size());
  std::vector<std::uint32_t> number_of(all.flows.size());
  for (std::size_t i = 0; i < all.flows.size(); ++i) {
    const AssociatedFlow& flow = all.flows[i];
    const FlowRecord& record = first[flow.record];
    const auto number = static_cast<std::uint32_t>(numbers.size());
    number_of[i] = numbers.try_emplace(record.key, number).first->second;
    if (flow.first_delay)
      ends.push_back({record.first, *flow.first_delay, number_of[i], &record.key});
    if (flow.last_delay) ends.push_back({record.last, *flow.last_delay, number_of[i], &record.key});
  }
  std::ranges::stable_sort(ends, {}, &EndDelay::sent);
  DirectionFinder finder;
  for (const EndDelay& end : ends) finder.reading(end.flow, *end.key, end.sent, end.delay);

  DirectedAssociations parts;
  for (std::size_t i = 0; i < all.flows.size(); ++i) {
    const AssociatedFlow& flow = all.flows[i];
    const Duration delay = flow.first_delay ? *flow.first_delay : *flow.last_delay;
    const bool goes_back =
        finder.both_ways() && finder.likely(number_of[i], delay) == Direction::backward;
    (goes_back ? parts.backward : parts.forward).flows.push_back(flow);
  }
  turn_round(parts.backward);
  return parts;
}

void turn_round(Association& association) {
  for (AssociatedFlow& flow : association.flows)
    for (std::optional<Duration>* delay : {&flow.first_delay, &flow.last_delay})
      if (*delay) *delay = -**delay;
}

}  // namespace sojourn
