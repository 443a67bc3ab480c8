#include "lab/two_point.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "lab/queue.h"
#include "lab/random.h"
#include "lab/two_point_frame.h"

namespace sojourn {
namespace {

using Path = std::function<Arrival(const LabPacket&)>;

Path make_path(const TwoPointOptions& options, const BackboneTrace& trace) {
  const double rate = trace.drain_rate(options.utilisation, options.traffic.seconds);
  // Queues of the papers' lengths, scaled with the rate: the time they hold is unchanged.
  const double scale = std::min(1.0, options.traffic.scale);
  switch (options.path) {
    case PathKind::droptail: {
      DropTailQueue::Options queue{.bytes_per_second = rate};
      queue.capacity = std::max<std::size_t>(
          10, static_cast<std::size_t>(static_cast<double>(queue.capacity) * scale));
      return
          [at = DropTailQueue{queue}](const LabPacket& packet) mutable { return at.pass(packet); };
    }
    case PathKind::red: {
      RedQueue::Options queue;
      queue.bytes_per_second = rate;
      queue.capacity = std::max<std::size_t>(
          10, static_cast<std::size_t>(static_cast<double>(queue.capacity) * scale));
      queue.least = static_cast<double>(queue.capacity) * 0.4;
      queue.most = static_cast<double>(queue.capacity) * 0.9;
      return [at = RedQueue{queue, options.seed ^ 1}](const LabPacket& packet) mutable {
        return at.pass(packet);
      };
    }
    case PathKind::weibull:
      break;
  }
  return [at = WeibullPath{{.in_order = true}, options.seed ^ 1}](const LabPacket& packet) mutable {
    return at.pass(packet);
  };
}

/// True arrival of each packet, in the order of sending.
std::vector<Arrival> send_all(const TwoPointOptions& options, const BackboneTrace& trace,
                              Random& random) {
  const Path path = make_path(options, trace);
  std::vector<Arrival> arrivals;
  arrivals.reserve(trace.packets.size());
  for (const LabPacket& packet : trace.packets) {
    Arrival arrival = path(packet);
    // Every packet draws the same random numbers, so that one disturbance does not change the
    // others.
    const bool lost = random.chance(options.loss), spike = random.chance(options.spikes);
    const bool late = random.chance(options.reorder);
    const double held = random.exponential(500'000);
    if (arrival)
      *arrival += options.fixed_ns + (spike ? options.spike_ns : 0) +
                  (late ? static_cast<std::int64_t>(held) : 0);
    arrivals.push_back(lost ? std::nullopt : arrival);
  }
  return arrivals;
}

/// Before its trigger: behind it, a reference packet would measure the queue that its trigger made.
std::uint32_t add_references(BackboneTrace& trace, std::uint32_t every) {
  std::uint32_t flow = static_cast<std::uint32_t>(trace.flow_sizes.size());
  while (!two_point_flow_is_udp(flow)) ++flow;
  trace.flow_sizes.resize(flow + 1);
  std::vector<LabPacket> packets;
  packets.reserve(trace.packets.size() + trace.packets.size() / every + 1);
  for (std::size_t i = 0; i < trace.packets.size(); ++i) {
    if (i % every == 0) {
      packets.push_back({flow, reference_bytes, trace.packets[i].sent_ns});
      ++trace.flow_sizes[flow];
    }
    packets.push_back(trace.packets[i]);
  }
  trace.packets = std::move(packets);
  return flow;
}

}  // namespace

TwoPointTrace two_point_trace(const TwoPointOptions& options) {
  Random random{options.seed};
  BackboneTrace traffic = backbone_traffic(options.traffic);
  TwoPointTrace trace;
  if (options.references > 0) trace.reference_flow = add_references(traffic, options.references);
  auto arrivals = send_all(options, traffic, random);

  const auto arrived = [](const Arrival& arrival) { return arrival.has_value(); };
  const auto begin = std::ranges::find_if(arrivals, arrived) - arrivals.begin();
  const auto end =
      arrivals.rend() == std::ranges::find_if(arrivals.rbegin(), arrivals.rend(), arrived)
          ? begin
          : std::ranges::find_if(arrivals.rbegin(), arrivals.rend(), arrived).base() -
                arrivals.begin();

  trace.sent.assign(traffic.packets.begin() + begin, traffic.packets.begin() + end);
  trace.flow_is_ipv6.resize(traffic.flow_sizes.size());
  for (std::size_t flow = 0; flow < trace.flows(); ++flow)
    trace.flow_is_ipv6[flow] = random.chance(options.ipv6);
  if (trace.reference_flow) trace.flow_is_ipv6[*trace.reference_flow] = false;
  std::vector<std::uint32_t> counters(trace.flows());
  for (std::uint32_t i = 0; i < trace.sent.size(); ++i) {
    const LabPacket& packet = trace.sent[i];
    trace.first_ns.push_back(options.first_clock.read(packet.sent_ns, random));
    trace.number.push_back(counters[packet.flow]++);
    const Arrival arrival = arrivals[static_cast<std::size_t>(begin) + i];
    const bool twice = random.chance(options.duplicates);
    const double later = 50'000 + random.exponential(200'000);
    if (!arrival) continue;
    trace.arrivals.push_back({options.last_clock.read(*arrival, random), i, false});
    if (twice) {
      // The copy comes later by any clock: the first to arrive is the packet, the other the
      // duplicate.
      const std::int64_t copy_ns =
          options.last_clock.read(*arrival + static_cast<std::int64_t>(later), random);
      trace.arrivals.push_back({std::max(copy_ns, trace.arrivals.back().read_ns + 1), i, true});
    }
  }
  trace.first_order.resize(trace.sent.size());
  std::iota(trace.first_order.begin(), trace.first_order.end(), 0u);
  std::ranges::sort(trace.first_order, [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(trace.first_ns[a], a) < std::tie(trace.first_ns[b], b);
  });
  std::ranges::sort(trace.arrivals, [](const TwoPointArrival& a, const TwoPointArrival& b) {
    return std::tie(a.read_ns, a.packet, a.duplicate) < std::tie(b.read_ns, b.packet, b.duplicate);
  });
  return trace;
}

}  // namespace sojourn
