#include "pipeline/turn_observer.h"

#include <algorithm>

#include "pipeline/rtt_shard.h"

namespace sojourn {
namespace {

/// In fixed memory, a quarter of what connections have comes on top, half of it while one array of
/// records becomes another.  Else they may take as much as those of the pairing rules.
std::size_t most_bytes(const TableChoice& table) {
  if (table.connection_bytes > 0) return table.connection_bytes / 8;
  const std::size_t limit = connection_limit_bytes(table);
  return limit == 0 ? ~std::size_t{0} : limit / 3;
}

}  // namespace

TurnObserver::TurnObserver(const RttOptions& options)
    : options_(options),
      tracker_({.kinds = options.kinds,
                .expire = options.table.patience.expire,
                .keep_unclear = options.keep_ambiguous,
                .most_bytes = most_bytes(options.table),
                .by_chance = options.table.connection_bytes > 0}),
      describes_samples_(options.want_samples || options.measurement.grouping.has_value() ||
                         !options.inside.empty()) {
  marks_ = SampleMarks::make(options);
  if (options.anonymize) anonymizer_.emplace(HashKey::from_seed(options.seed));
}

void TurnObserver::look_at(std::span<const Summary> batch, Measurement& measurement,
                           std::vector<PlacedSample>& samples) {
  DelayHeatmap* const heatmap = measurement.heatmap();
  if (!heatmap) return process(batch, measurement, samples);
  for (const Summary& packet : batch) {  // requests are counted by the column they are sent in
    const auto asked = [&](Kind kind) { return measurement.counters(kind).requests; };
    const std::uint64_t responses = asked(Kind::response), hellos = asked(Kind::tls);
    process({&packet, 1}, measurement, samples);
    const auto add = [&](Kind kind, std::uint64_t before) {
      if (const std::uint64_t more = asked(kind) - before; more > 0)
        heatmap->add_requests(packet.time, kind, static_cast<double>(more));
    };
    add(Kind::response, responses);
    add(Kind::tls, hellos);
  }
}

void TurnObserver::process(std::span<const Summary> batch, Measurement& measurement,
                           std::vector<PlacedSample>& samples) {
  std::uint32_t last = ~std::uint32_t{0};
  FlowTag tag{};
  for (const TurnDelay& found : tracker_.look_at(batch)) {
    const Summary& packet = batch[found.summary];
    if (found.client_guessed && !is_part(found.leg))
      ++measurement.counters(found.kind).guessed_legs;
    if (!describes_samples_) {
      if (found.summary != last)  // up to three delays of one answer
        tag = FlowTag::of(flow_of(found.kind, packet));
      last = found.summary;
      measurement.add_light(found.kind, found.leg, packet.time, found.delay, found.weight, tag);
      continue;
    }
    PairEvent event{};
    event.time = packet.time;
    event.kind = found.kind;
    event.leg = found.leg;
    event.flags = found.by_client ? sent_by_requester : 0;
    Sample sample = describe(event, {found.delay, found.weight}, packet, options_.inside);
    sample.flow = flow_of(found.kind, packet);
    if (marks_) marks_->put_way(packet, sample);
    if (anonymizer_) {
      sample.requester = anonymizer_->apply(sample.requester);
      sample.responder = anonymizer_->apply(sample.responder);
    }
    measurement.add(sample);
    if (options_.want_samples) samples.push_back({packet.index, sample});
  }
  count(Kind::response, measurement);
  count(Kind::tls, measurement);
}

void TurnObserver::count(Kind kind, Measurement& measurement) {
  if (!options_.kinds.has(kind)) return;
  const TurnCounters found = tracker_.take_counters(kind);
  KindCounters& counters = measurement.counters(kind);
  counters.requests += found.requests;
  counters.unclear += found.unclear;
  counters.ambiguous += found.unclear.total();
  counters.estimated_ambiguous += found.estimated_unclear;
  counters.left_out += found.left_out;
}

}  // namespace sojourn
