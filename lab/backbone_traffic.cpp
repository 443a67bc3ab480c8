#include "lab/backbone_traffic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lab/flow_shape.h"
#include "lab/random.h"

namespace sojourn {
namespace {

std::uint32_t draw_bytes(Random& random, bool carries_data) {
  if (!carries_data) return random.chance(0.9) ? 52 : 64;
  if (random.chance(0.8)) return 1500;
  return static_cast<std::uint32_t>(52 + random.below(1448));
}

}  // namespace

BackboneTrace backbone_traffic(const BackboneOptions& options) {
  Random random{options.seed};
  const double target = options.model.packets_per_second * options.scale * options.seconds;
  const FlowShapes shapes{
      {.packets_per_flow = options.model.packets_per_flow,
       .seconds = options.cut_at_edges ? options.model.seconds : 0,
       .largest = static_cast<std::uint32_t>(std::clamp(target / 50, 100.0, 1e6)),
       .bursts = options.model.bursts}};
  BackboneTrace trace;
  trace.packets.reserve(static_cast<std::size_t>(target * 1.05));
  std::vector<double> times;
  while (static_cast<double>(trace.packets.size()) < target) {
    const bool carries_data = random.chance(0.5);
    draw_times(random, shapes.draw(random), times);
    // A flow that must fit into the trace and lasts longer is compressed.
    const double shrink =
        options.cut_at_edges ? 1
                             : std::min(1.0, options.seconds * 0.99 / std::max(times.back(), 1e-9));
    const double start = options.cut_at_edges
                             ? random.uniform(-times.back(), options.seconds)
                             : random.uniform(0, options.seconds - times.back() * shrink);
    const auto flow = static_cast<std::uint32_t>(trace.flow_sizes.size());
    std::uint32_t within = 0;
    for (const double time : times) {
      const std::uint32_t bytes = draw_bytes(random, carries_data);
      const double sent = start + time * shrink;
      if (sent < 0 || sent >= options.seconds) continue;  // never, unless cut_at_edges
      trace.packets.push_back({flow, bytes, std::llround(sent * 1e9)});
      trace.bytes += bytes;
      ++within;
    }
    if (within > 0) trace.flow_sizes.push_back(within);
  }
  // Equal times in the order of flows: the result must not depend on the sorting algorithm.
  std::ranges::sort(trace.packets, [](const LabPacket& a, const LabPacket& b) {
    return std::tie(a.sent_ns, a.flow, a.bytes) < std::tie(b.sent_ns, b.flow, b.bytes);
  });
  return trace;
}

}  // namespace sojourn
