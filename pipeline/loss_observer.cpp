#include "pipeline/loss_observer.h"

#include <algorithm>

#include "pipeline/rtt_shard.h"
#include "roundtrip/rules/sample_flow.h"

namespace sojourn {
namespace {

/// In fixed memory, a quarter of what connections have comes on top, for the tracker's own; what
/// streams with holes take is little beside it.
std::size_t most_flows(const RttOptions& options) {
  constexpr std::size_t bytes_of_a_flow = 256, usual = 1u << 20, least = 64;
  if (options.table.connection_bytes == 0) return usual;
  return std::max(options.table.connection_bytes / 4 / bytes_of_a_flow, least);
}

}  // namespace

LossObserver::LossObserver(const RttOptions& options)
    : tracker_(most_flows(options)),
      tally_({.grouping = options.measurement.grouping,
              .window = options.measurement.window,
              .fixed_memory = options.table.kind != TableKind::exact}),
      inside_(options.inside) {
  marks_ = SampleMarks::make(options);
  if (options.anonymize) anonymizer_.emplace(HashKey::from_seed(options.seed));
}

Sample LossObserver::ends_of(const Summary& packet, bool to_server) {
  Sample sample;
  sample.time = packet.time;
  sample.kind = Kind::tcp;
  sample.leg = to_server ? Leg::server : Leg::client;
  sample.requester = packet.source();
  sample.responder = packet.destination();
  sample.requester_port = packet.source_port;
  sample.responder_port = packet.destination_port;
  sample.requester_is_server = !to_server;
  sample.vlan = packet.vlan;
  if (marks_) marks_->put_way(packet, sample);
  if (!inside_.empty())
    sample.leg = is_inside(sample.requester, inside_) && !is_inside(sample.responder, inside_)
                     ? Leg::external
                     : Leg::internal;
  if (anonymizer_) {
    sample.requester = anonymizer_->apply(sample.requester);
    sample.responder = anonymizer_->apply(sample.responder);
  }
  return sample;
}

Sample LossObserver::described(const PairEvent& event, const Match& match, const Summary& packet) {
  Sample sample = describe(event, match, packet, inside_);
  if (marks_) marks_->put(event, packet, sample);
  if (anonymizer_) {
    sample.requester = anonymizer_->apply(sample.requester);
    sample.responder = anonymizer_->apply(sample.responder);
  }
  return sample;
}

void LossObserver::asked(const PairEvent& request, const Summary& packet) {
  if (!unanswered_means_lost(request.kind)) return;
  PairEvent event = request;
  event.flags = sent_by_requester;
  tally_.ask(described(event, {}, packet));
}

/// Counted where its request was, so that no slice has more answers than requests.
void LossObserver::answered(const PairEvent& response, const Match& match, const Summary& packet) {
  if (!unanswered_means_lost(response.kind) || !is_whole(response.kind, response.leg)) return;
  Sample sample = described(response, match, packet);
  sample.time = response.time - match.delay;
  tally_.answer(sample);
}

void LossObserver::look_at(std::span<const Summary> batch) {
  for (const Summary& packet : batch) {
    if (packet.content != Content::tcp) continue;
    const LossSigns signs = tracker_.look_at(packet);
    if (signs.weight == 0) continue;
    tally_.add(signs.bits, signs.weight, flow_of(Kind::tcp, packet),
               ends_of(packet, signs.to_server));
  }
}

}  // namespace sojourn
