#include "pipeline/rtt_shard.h"

#include <algorithm>
#include <utility>

namespace sojourn {
namespace {

bool is_inside(const IpAddress& address, std::span<const Prefix> inside) {
  return std::ranges::any_of(inside,
                             [&](const Prefix& prefix) { return prefix.contains(address); });
}

}  // namespace

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
  if (!inside.empty() && sample.leg != Leg::sum) {
    const bool leaves = is_inside(sample.requester, inside) && !is_inside(sample.responder, inside);
    sample.leg = leaves ? Leg::external : Leg::internal;
  }
  return sample;
}

}  // namespace sojourn
