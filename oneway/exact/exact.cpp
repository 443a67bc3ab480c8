#include "oneway/exact/exact.h"

#include <algorithm>
#include <cassert>

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

/// Identities of the selected packets, and a first touch of what they will need.
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
  samples_.clear();
  table_.make_room(batch.size(), progress_, expired_);
  if (!expired_.empty()) settle(expired_);
  const std::size_t count = identify(batch, sightings);
  for (const Sighting& sighting : std::span{sightings}.first(count)) sight(sighting, point);
  for (const DelaySample& sample : samples_) ledger_.prefetch_sums(sample.flow);
  for (const DelaySample& sample : samples_) ledger_.add(sample.flow, to_ns(sample.delay));
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
  matched_[index_of(Point::first)].include(first.time_ns);
  matched_[index_of(Point::last)].include(last_ns);
  samples_.push_back(
      {timestamp_from_ns(first.time_ns), Duration{last_ns - first.time_ns}, first.flow});
}

/// Was the other point capturing when it should have seen this packet?
bool ExactMethod::was_watched(const MatchTable::Entry& entry) const {
  const Span& arrived = matched_[index_of(entry.point)];
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
    if (!was_watched(entry)) {
      ++outside_[index_of(entry.point)];
    } else if (entry.point == Point::first) {
      ++lost_;
      ledger_.add_lost(entry.flow);
    } else {
      ++only_last_;
    }
  }
  entries.clear();
}

OnewayResult ExactMethod::finish() {
  table_.take_all(expired_);
  settle(expired_);
  OnewayResult result;
  result.flows = ledger_.delays();
  const DelaySums total = ledger_.total();
  if (total.count > 0)
    result.total = {total.count, total.mean_ns(), total.stddev_ns(), total.min_ns, total.max_ns};
  result.sent = total.count + lost_;
  result.lost = lost_;
  result.counters = {{"matched", total.count},
                     {"lost", lost_},
                     {"only-last", only_last_},
                     {"ambiguous", ambiguous_},
                     {"outside-first", outside_[0]},
                     {"outside-last", outside_[1]},
                     {"cut", cut_},
                     {"not-selected", not_selected_},
                     {"without-room", ledger_.without_room()}};
  if (ledger_.without_room() > 0)
    result.notes.push_back(
        "There are more flows than --max-flows: the packets of the rest are in the totals, not in "
        "a flow.");
  result.memory_bytes = table_.memory_bytes() + ledger_.memory_bytes();
  return result;
}

std::unique_ptr<OnewayMethod> make_exact(const OnewayOptions& options) {
  return std::make_unique<ExactMethod>(options);
}

}  // namespace sojourn
