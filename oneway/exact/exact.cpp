#include "oneway/exact/exact.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

namespace sojourn {

ExactMethod::ExactMethod(const OnewayOptions& options)
    : options_(options),
      identity_key_(HashKey::from_seed(options.seed ^ 0x6964656e74697479u)),  // not the flows' key
      packet_selection_(SelectionRange::of_share(options.sample_flows ? 1 : options.sampling),
                        options.label),
      flow_selection_(SelectionRange::of_share(options.sample_flows ? options.sampling : 1),
                      options.label),
      table_(options.window),
      ledger_(options.max_flows) {}

/// Identities of the selected packets, and a prefetch of what they need.
std::size_t ExactMethod::identify(std::span<const IpPacket> batch, std::span<Sighting> out) {
  std::size_t count = 0;
  for (const IpPacket& packet : batch) {
    if (!flow_selection_.selects(packet) || !packet_selection_.selects(packet)) {
      ++not_selected_;
      continue;
    }
    const InvariantBytes invariant{packet, options_.label};
    cut_ += invariant.cut();
    const std::uint64_t identity = identity_of(packet, invariant, identity_key_);
    table_.prefetch(identity);
    ledger_.prefetch(packet.flow);
    out[count++] = {identity, &packet};
  }
  return count;
}

void ExactMethod::process(std::span<const IpPacket> batch, Point point) {
  assert(batch.size() <= max_batch);
  std::array<Sighting, max_batch> sightings;
  if (!holds_) samples_.clear();
  const std::size_t held = samples_.size();
  table_.make_room(batch.size(), progress_, expired_);
  if (!holds_ && !expired_.empty()) settle(expired_);
  const std::size_t count = identify(batch, sightings);
  for (const Sighting& sighting : std::span{sightings}.first(count)) sight(sighting, point);
  const auto fresh = std::span{samples_}.subspan(held);
  for (const DelaySample& sample : fresh) ledger_.prefetch_sums(sample.flow);
  for (const DelaySample& sample : fresh) ledger_.add(sample.flow, to_ns(sample.delay));
  for (DelaySample& sample : fresh) {
    if (const FlowKey* const key = ledger_.key(sample.flow))
      directions_.reading(sample.flow, *key, sample.sent, sample.delay);
    if (!holds_) hand_out(sample);
  }
  if (holds_ && (directions_.both_ways() || samples_.size() >= most_held ||
                 expired_.size() >= most_held)) [[unlikely]]
    release_samples();
}

void ExactMethod::release_samples() {
  if (!holds_) {
    samples_.clear();
    return;
  }
  holds_ = false;
  for (DelaySample& sample : samples_) hand_out(sample);
  settle(expired_);
}

void ExactMethod::hand_out(DelaySample& sample) {
  sample.direction = directions_.likely(sample.flow, sample.delay);
  Spans& arrived = matched_[static_cast<std::size_t>(sample.direction)];
  arrived[index_of(Point::first)].include(to_ns(sample.sent));
  arrived[index_of(Point::last)].include(to_ns(sample.sent + sample.delay));
}

void ExactMethod::sight(const Sighting& sighting, Point point) {
  const std::int64_t time_ns = to_ns(sighting.packet->time);
  seen_[index_of(point)].include(time_ns);
  progress_.of(point) = std::max(progress_.of(point), time_ns);
  const auto [partner, twin] = table_.meet(sighting.identity, point, time_ns);
  ambiguous_ += twin;
  if (!partner) {
    table_.wait(sighting.identity, {time_ns, ledger_.number_of(*sighting.packet), point});
  } else if (point == Point::last) {
    matched(*partner, time_ns);
  } else {
    matched({time_ns, partner->flow, Point::first}, partner->time_ns);
  }
}

void ExactMethod::matched(const MatchTable::Entry& first, std::int64_t last_ns) {
  samples_.push_back(
      {timestamp_from_ns(first.time_ns), Duration{last_ns - first.time_ns}, first.flow});
}

/// Whether the other point was capturing when this packet should have passed it.  Only packets of
/// the same direction can show that; packets of the other direction took another path.
bool ExactMethod::was_watched(const MatchTable::Entry& entry) const {
  const Direction direction = directions_.known(entry.flow).value_or(Direction::forward);
  const Span& arrived = matched_[static_cast<std::size_t>(direction)][index_of(entry.point)];
  const Span& seen = seen_[index_of(other(entry.point))];
  const std::int64_t window_ns = to_ns(options_.window);
  const bool from_start =
      entry.time_ns >= arrived.from_ns || difference_ns(entry.time_ns, seen.from_ns) >= window_ns;
  const bool to_end =
      entry.time_ns <= arrived.to_ns || difference_ns(seen.to_ns, entry.time_ns) >= window_ns;
  return from_start && to_end;
}

void ExactMethod::settle(std::vector<MatchTable::Entry>& entries) {
  for (const MatchTable::Entry& entry : entries) {
    if (was_watched(entry))
      ledger_.add_unmatched(entry.flow, entry.point);
    else
      ++outside_[index_of(entry.point)];
  }
  entries.clear();
}

namespace {

/// For undecided flows: the opposite of their counterpart's direction.
class CounterpartDirections {
 public:
  CounterpartDirections(const FlowLedger& ledger, const DirectionFinder& found)
      : ledger_(ledger), found_(found) {
    if (!found.both_ways()) return;
    for (std::uint32_t number = 0; number < ledger.size(); ++number)
      if (const FlowKey* const key = ledger.key(number))
        if (const auto direction = found.known(number)) by_key_.emplace(*key, *direction);
  }

  std::optional<Direction> operator()(std::uint32_t number) const {
    const FlowKey* const key = ledger_.key(number);
    if (!key || !found_.both_ways()) return std::nullopt;
    if (const auto direction = found_.known(number)) return direction;
    const auto counterpart = by_key_.find(key->reversed());
    if (counterpart != by_key_.end()) return opposite(counterpart->second);
    // As its samples were reported.
    if (const auto mean = ledger_.mean_delay(number)) return found_.likely(number, *mean);
    return std::nullopt;
  }

 private:
  const FlowLedger& ledger_;
  const DirectionFinder& found_;
  std::unordered_map<FlowKey, Direction, FlowKeyHash> by_key_;
};

std::optional<TotalDelay> total_of(const DelaySums& sums) {
  if (sums.count == 0) return std::nullopt;
  return TotalDelay{sums.count, sums.mean_ns(), sums.stddev_ns(), sums.min_ns, sums.max_ns};
}

}  // namespace

OnewayResult ExactMethod::finish() {
  release_samples();
  table_.take_all(expired_);
  settle(expired_);
  OnewayResult result;
  const CounterpartDirections direction_of{ledger_, directions_};
  result.flows = ledger_.delays(direction_of);
  const auto [forward, backward] = ledger_.fates(direction_of);
  result.total = total_of(forward.delays);
  result.sent = forward.matched + forward.lost;
  result.lost = forward.lost;
  result.counters = {{"matched", forward.matched},
                     {"lost", forward.lost},
                     {"only-last", forward.from_nowhere},
                     {"ambiguous", ambiguous_},
                     {"outside-first", outside_[0]},
                     {"outside-last", outside_[1]},
                     {"cut", cut_},
                     {"not-selected", not_selected_},
                     {"without-room", ledger_.without_room()}};
  if (directions_.both_ways()) {
    result.counters.insert(result.counters.begin() + 3, {{"matched-backward", backward.matched},
                                                         {"lost-backward", backward.lost},
                                                         {"only-first", backward.from_nowhere}});
    for (const auto& [direction, fate] :
         {std::pair{Direction::forward, &forward}, std::pair{Direction::backward, &backward}})
      result.directions.push_back({direction, fate->flows,
                                   in_direction(direction, total_of(fate->delays)),
                                   fate->matched + fate->lost, fate->lost});
  }
  if (ledger_.without_room() > 0)
    result.notes.emplace_back(
        "There are more flows than may be remembered: the packets of the rest are in the totals, "
        "not in a flow.",
        Advice::most_flows);
  result.memory_bytes = table_.memory_bytes() + ledger_.memory_bytes();
  return result;
}

std::unique_ptr<OnewayMethod> make_exact(const OnewayOptions& options) {
  return std::make_unique<ExactMethod>(options);
}

}  // namespace sojourn
