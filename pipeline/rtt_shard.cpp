#include "pipeline/rtt_shard.h"

#include <algorithm>
#include <utility>

namespace sojourn {
Measurement RttShard::take_measurement() {
  Measurement taken = std::exchange(measurement_, Measurement{measurement_options_});
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const auto [table_counts, now] = counted_from_start(kind);
    const KindCounters before = std::exchange(taken_[i], now);
    KindCounters& counters = taken.counters(kind);
    counters.super_packets = now.super_packets - before.super_packets;
    counters.super_packets_left_out = now.super_packets_left_out - before.super_packets_left_out;
    if (!table_counts) continue;
    for (const LeftOut reason : {LeftOut::displaced, LeftOut::too_old})
      counters.left_out[reason] = now.left_out[reason] - before.left_out[reason];
  }
  return taken;
}

Sample describe(const PairEvent& response, const Match& match, const Summary& packet,
                std::span<const Prefix> inside) {
  Sample sample;
  sample.time = response.time;
  sample.delay = match.delay;
  sample.weight = match.weight;
  sample.kind = response.kind;
  sample.leg = response.leg;
  sample.requester_is_server = (response.flags & requester_is_server) != 0;
  sample.requester = packet.destination();
  sample.responder = packet.source();
  sample.requester_port = packet.destination_port;
  sample.responder_port = packet.source_port;
  sample.vlan = packet.vlan;
  if (response.flags & sent_by_requester) {
    std::swap(sample.requester, sample.responder);
    std::swap(sample.requester_port, sample.responder_port);
  }
  if (!inside.empty() && sample.leg != Leg::sum && !is_part(sample.leg)) {
    const bool leaves = is_inside(sample.requester, inside) && !is_inside(sample.responder, inside);
    sample.leg = leaves ? Leg::external : Leg::internal;
  }
  return sample;
}

}  // namespace sojourn
