#include "lab/backbone_traffic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lab/random.h"

namespace sojourn {
namespace {

constexpr double round_trip_median = 0.050, round_trip_sigma = 0.8;  // seconds
constexpr double gap_median = 40e-6, gap_sigma = 1.0;                // within a window

/// Sum of k^-a for k up to `largest`: the mean of sizes with that tail.
double mean_of_tail(double exponent, std::uint32_t largest) {
  double sum = 0;
  // Exact for the small sizes, where the mass is; an integral for the rest (midpoint rule).
  const std::uint32_t exact = std::min<std::uint32_t>(largest, 1000);
  for (std::uint32_t k = 1; k <= exact; ++k) sum += std::pow(k, -exponent);
  if (largest > exact) {
    const double low = exact + 0.5, high = largest + 0.5, power = 1 - exponent;
    sum += std::abs(power) < 1e-9 ? std::log(high / low)
                                  : (std::pow(high, power) - std::pow(low, power)) / power;
  }
  return sum;
}

std::uint32_t draw_size(Random& random, double exponent, std::uint32_t largest) {
  const double size = std::pow(1 - random.uniform(), -1 / exponent);
  return size >= largest ? largest : static_cast<std::uint32_t>(size);
}

/// Times of a flow's packets from its start, in seconds, appended to `times`.
void draw_times(Random& random, std::uint32_t size, double longest, std::vector<double>& times) {
  const double round_trip = random.lognormal(round_trip_median, round_trip_sigma);
  const double gap = random.lognormal(gap_median, gap_sigma);
  // Large flows have windows to match, so that they end within the trace.
  const double rounds = std::max(1.0, longest / round_trip / 2);
  const double window_limit = std::max(16.0, size / rounds);
  double start = 0, window = 2;
  while (times.size() < size) {
    double at = start;
    const auto end = std::min<std::size_t>(size, times.size() + static_cast<std::size_t>(window));
    while (times.size() < end) {
      times.push_back(at);
      at += random.exponential(gap);
    }
    window = std::min(window * 2, window_limit);
    start = std::max(start + round_trip * random.uniform(0.9, 1.1), at);
  }
}

std::uint32_t draw_bytes(Random& random, bool carries_data) {
  if (!carries_data) return random.chance(0.9) ? 52 : 64;
  if (random.chance(0.8)) return 1500;
  return static_cast<std::uint32_t>(52 + random.below(1448));
}

}  // namespace

double tail_exponent(double mean_size, std::uint32_t largest) {
  double low = 0.1, high = 8;  // the mean falls as the exponent grows
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (mean_of_tail(middle, largest) > mean_size ? low : high) = middle;
  }
  return (low + high) / 2;
}

BackboneTrace backbone_traffic(const BackboneOptions& options) {
  Random random{options.seed};
  const double target = options.model.packets_per_second * options.scale * options.seconds;
  // No flow is more than a fiftieth of the traffic, or the trace would be about that one.
  const auto largest = options.largest_flow > 0 ? options.largest_flow
                                                : static_cast<std::uint32_t>(std::clamp(target / 50, 100.0, 1e6));
  const double exponent = tail_exponent(options.model.packets_per_flow, largest);

  BackboneTrace trace;
  trace.packets.reserve(static_cast<std::size_t>(target * 1.05));
  std::vector<double> times;
  while (static_cast<double>(trace.packets.size()) < target) {
    const std::uint32_t size = draw_size(random, exponent, largest);
    const bool carries_data = random.chance(0.5);
    times.clear();
    draw_times(random, size, options.seconds / 2, times);
    // A window that straggles beyond the end of the trace is squeezed into it.
    const double shrink = std::min(1.0, options.seconds * 0.99 / std::max(times.back(), 1e-9));
    const double start = options.cut_at_edges ? random.uniform(-times.back() * shrink, options.seconds)
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
