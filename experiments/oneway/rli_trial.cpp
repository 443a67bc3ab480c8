#include "experiments/oneway/rli_trial.h"

#include <algorithm>
#include <utility>

#include "core/hash.h"

namespace sojourn {

RliPath inject(std::span<const LabPacket> packets, RedQueue queue, ReferenceGenerator generator) {
  constexpr std::uint32_t no_flow = 0xffff'ffff;
  RliPath path;
  path.arrivals.reserve(packets.size());
  const auto send = [&](std::int64_t now_ns, std::size_t before) {
    const Arrival arrival = queue.pass({no_flow, reference_packet_bytes, now_ns});
    path.references.push_back({now_ns, arrival ? *arrival : lost_packet, before});
    generator.injected(timestamp_from_ns(now_ns));
  };
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::int64_t now_ns = packets[i].sent_ns;
    for (auto due = generator.timer(); due && to_ns(*due) <= now_ns; due = generator.timer())
      send(to_ns(*due), i);
    if (generator.passes(timestamp_from_ns(now_ns), packets[i].bytes)) send(now_ns, i);
    const Arrival arrival = queue.pass(packets[i]);
    path.arrivals.push_back(arrival ? *arrival : lost_packet);
  }
  return path;
}

RliReceiver receive(std::span<const LabPacket> packets, const RliPath& path,
                    const RliReceiver::Options& options, std::size_t begin, std::size_t end) {
  RliReceiver receiver{options};
  std::vector<ObservedPacket> batch;
  const auto drain = [&] {
    receiver.packets(batch);
    batch.clear();
  };
  auto reference =
      std::ranges::lower_bound(path.references, begin, {}, &RliPath::Reference::before);
  end = std::min(end, packets.size());
  for (std::size_t i = begin; i < end; ++i) {
    for (; reference != path.references.end() && reference->before <= i; ++reference) {
      if (reference->received_ns == lost_packet) continue;
      drain();
      const auto sequence = static_cast<std::uint32_t>(reference - path.references.begin());
      receiver.reference({1, sequence, timestamp_from_ns(reference->sent_ns)},
                         timestamp_from_ns(reference->received_ns));
    }
    if (path.arrivals[i] == lost_packet) continue;
    std::uint64_t state = packets[i].flow;
    batch.push_back({lab_flow_key(packets[i].flow), split_mix(state),
                     timestamp_from_ns(path.arrivals[i]), packets[i].bytes, 0, 0});
    if (batch.size() == RliReceiver::max_batch) drain();
  }
  drain();
  receiver.finish();
  return receiver;
}

}  // namespace sojourn
