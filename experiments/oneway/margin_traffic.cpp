#include "experiments/oneway/margin_traffic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "lab/backbone_traffic.h"
#include "lab/queue.h"
#include "lab/random.h"

namespace sojourn {
namespace {

using Path = std::function<Arrival(const LabPacket&)>;

BackboneTrace backbone(const MarginScale& scale, BackboneModel model) {
  return backbone_traffic({.model = model,
                           .seconds = scale.seconds,
                           .scale = scale.scale,
                           .seed = scale.seed,
                           .cut_at_edges = true});
}

double line_rate(std::span<const LabPacket> packets, double seconds, double load) {
  double bytes = 0;
  for (const LabPacket& packet : packets) bytes += ethernet_bytes(packet.bytes);
  return bytes / seconds / load;
}

/// A first-in first-out link on Ethernet.
std::function<Path()> link_of(double bytes_a_second) {
  return [bytes_a_second] {
    const auto queue = std::make_shared<DropTailQueue>(
        DropTailQueue::Options{.capacity = 100'000, .bytes_per_second = bytes_a_second});
    return Path{[queue](LabPacket packet) {
      packet.bytes = ethernet_bytes(packet.bytes);
      return queue->pass(packet);
    }};
  };
}

/// Flows that send trains of packets back to back, and pause between them.
std::vector<LabPacket> trains(const MarginScale& scale, std::size_t& flows) {
  Random random{scale.seed ^ 0x7472'6169};
  std::vector<LabPacket> packets;
  flows = static_cast<std::size_t>(600 * scale.seconds * scale.scale / 0.15);
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    double time = random.uniform() * scale.seconds * 1e9;
    const int count = 2 + static_cast<int>(random.exponential(4));
    for (int train = 0; train < count; ++train) {
      const int length = 4 + static_cast<int>(random.uniform() * 36);
      for (int i = 0; i < length; ++i) {
        if (time < scale.seconds * 1e9)
          packets.push_back({flow, 1'000, static_cast<std::int64_t>(time)});
        time += 12'000 + random.exponential(20'000);
      }
      time += random.exponential(200e6);
    }
  }
  std::ranges::sort(packets, {}, &LabPacket::sent_ns);
  return packets;
}

/// Delay that drifts and returns within `memory`: exp of an Ornstein-Uhlenbeck process.
Path wandering(double memory_ns, std::uint64_t seed) {
  struct State {
    Random random;
    double x = 0, at = 0, latest = 0;
  };
  const auto state = std::make_shared<State>(State{Random{seed}});
  return [state, memory_ns](const LabPacket& packet) -> Arrival {
    const auto now = static_cast<double>(packet.sent_ns);
    const double kept = std::exp(-(now - state->at) / memory_ns);
    state->x = kept * state->x + std::sqrt(1 - kept * kept) * state->random.normal(0, 1);
    state->at = now;
    state->latest = std::max(state->latest, now + 1e6 * std::exp(0.8 * state->x));
    return std::llround(state->latest);
  };
}

/// A queue that bursts of cross traffic fill as fast as time passes, and that drains half as fast.
/// `lengths` draws the duration of a burst in nanoseconds.
Path behind_bursts(double bursts_a_second, std::function<double(Random&)> lengths,
                   std::uint64_t seed) {
  struct State {
    Random random;
    double wait = 0, at = 0, next = 0, until = 0;
  };
  const auto state = std::make_shared<State>(State{Random{seed}});
  return [=](const LabPacket& packet) -> Arrival {
    State& queue = *state;
    const auto now = static_cast<double>(packet.sent_ns);
    while (queue.at < now) {
      const bool busy = queue.at < queue.until;
      const double step = std::min({now, busy ? queue.until : now, std::max(queue.next, queue.at)});
      const double passed = step - queue.at;
      queue.wait = std::max(0.0, queue.wait + (busy ? passed : -passed / 2));
      queue.at = step;
      if (queue.at >= queue.next) {
        queue.until = std::max(queue.until, queue.at + lengths(queue.random));
        queue.next = queue.at + queue.random.exponential(1e9 / bursts_a_second);
      }
    }
    return packet.sent_ns + std::llround(100'000 + queue.wait);
  };
}

}  // namespace

std::uint32_t ethernet_bytes(std::uint32_t ip_bytes) { return std::max(ip_bytes + 38u, 84u); }

std::vector<MarginTraffic> margin_traffic(const MarginScale& scale) {
  const BackboneTrace chic = backbone(scale, BackboneModel::chic());
  const auto with = [&](std::string name, std::function<Path()> path) {
    return MarginTraffic{.name = std::move(name),
                         .packets = chic.packets,
                         .flows = chic.flow_sizes.size(),
                         .path = std::move(path)};
  };
  std::vector<MarginTraffic> all;
  all.push_back(with("independent (Weibull)", [scale] {
    const auto path = std::make_shared<WeibullPath>(WeibullPath::Options{}, scale.seed);
    return Path{[path](const LabPacket& packet) { return path->pass(packet); }};
  }));
  all.back().in_order = false;
  const double rate = line_rate(chic.packets, scale.seconds, 0.9);
  all.push_back(with("queue at 90 % load", link_of(rate)));
  all.back().bytes_a_second = rate;

  MarginTraffic in_trains{.name = "trains, queue at 70 % load", .packets = {}, .path = {}};
  in_trains.packets = trains(scale, in_trains.flows);
  in_trains.bytes_a_second = line_rate(in_trains.packets, scale.seconds, 0.7);
  in_trains.path = link_of(in_trains.bytes_a_second);
  all.push_back(std::move(in_trains));

  all.push_back(with("correlated over 0.2 s", [scale] { return wandering(0.2e9, scale.seed); }));
  all.push_back(with("correlated over 5 s", [scale] { return wandering(5e9, scale.seed); }));
  all.push_back(with("bursts of 4 ms", [scale] {
    return behind_bursts(15, [](Random&) { return 4e6; }, scale.seed);
  }));
  all.push_back(with("bursts, Pareto 1.5", [scale] {
    return behind_bursts(
        60, [](Random& random) { return std::min(2e9, random.pareto(0.5e6, 1.5)); }, scale.seed);
  }));
  all.push_back(with("independent, Pareto 1.5", [scale] {
    const auto random = std::make_shared<Random>(scale.seed);
    return Path{[random](const LabPacket& packet) -> Arrival {
      return packet.sent_ns + std::llround(random->pareto(1e5, 1.5));
    }};
  }));
  all.back().in_order = false;
  return all;
}

MarginTraffic link_at(double load, double hidden, const MarginScale& scale) {
  BackboneTrace sanj = backbone(scale, BackboneModel::sanj());
  MarginTraffic traffic{.name = {}, .packets = {}, .path = {}};
  traffic.bytes_a_second = line_rate(sanj.packets, scale.seconds, load);
  // All packets of a flow are in the capture, or none.
  const auto is_hidden = [hidden](const LabPacket& packet) {
    return (packet.flow * 2654435761u >> 16 & 0xffffu) < hidden * 0x10000;
  };
  auto cross = std::make_shared<std::vector<LabPacket>>();
  for (const LabPacket& packet : sanj.packets)
    (is_hidden(packet) ? *cross : traffic.packets).push_back(packet);
  traffic.flows = sanj.flow_sizes.size();
  const auto link = link_of(traffic.bytes_a_second);
  traffic.path = [cross, link] {
    return Path{[cross, queue = link(), next = std::size_t{0}](const LabPacket& packet) mutable {
      for (; next < cross->size() && (*cross)[next].sent_ns <= packet.sent_ns; ++next)
        queue((*cross)[next]);
      return queue(packet);
    }};
  };
  return traffic;
}

}  // namespace sojourn
