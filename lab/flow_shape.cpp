#include "lab/flow_shape.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

constexpr double round_trip_median = 0.050, round_trip_sigma = 0.8;  // seconds
constexpr double gap_median = 40e-6, gap_sigma = 1.0;                // within a window

// Tuned together to what CNF section IV-C states about the flows that 1 % sampling finds in its
// CHIC trace (docs/design/lab-traffic.md).
constexpr double mouse_mean = 3.5;  // packets
constexpr std::uint32_t mouse_largest = 200;
constexpr double mouse_duration = 3, elephant_duration = 240;  // seconds, medians
constexpr double duration_sigma = 2;
constexpr double elephant_median = 900, elephant_sigma = 0.8;  // packets
constexpr double burst_rate_sigma = 0.5;

/// Sum of k^-a for k up to `largest`: the mean of sizes with that tail.
double mean_of_tail(double exponent, std::uint32_t largest) {
  double sum = 0;
  // Exact for the small sizes, which dominate; an integral for the rest (midpoint rule).
  const std::uint32_t exact = std::min<std::uint32_t>(largest, 1000);
  for (std::uint32_t k = 1; k <= exact; ++k) sum += std::pow(k, -exponent);
  if (largest > exact) {
    const double low = exact + 0.5, high = largest + 0.5, power = 1 - exponent;
    sum += std::abs(power) < 1e-9 ? std::log(high / low)
                                  : (std::pow(high, power) - std::pow(low, power)) / power;
  }
  return sum;
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

FlowShapes::FlowShapes(const Options& options)
    : options_(options), mouse_exponent_(tail_exponent(mouse_mean, mouse_largest)) {
  // A flow that lasts D and is seen at all has T / (T + D) of its packets within a trace of T: it
  // begins anywhere from D before the trace to the trace's end.
  const auto mean_within = [&](auto kind) {
    constexpr int draws = 20'000;
    Random random{1};  // independent of the seed of the traffic
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
      const FlowShape shape = (this->*kind)(random);
      sum += shape.size *
             (options_.seconds > 0 ? options_.seconds / (options_.seconds + shape.duration()) : 1);
    }
    return sum / draws;
  };
  const double mice = mean_within(&FlowShapes::mouse),
               elephants = mean_within(&FlowShapes::elephant);
  const double in_bursts =
      options_.largest > options_.bursts.smallest ? options_.bursts.packets : 0;
  if (in_bursts > 0)
    burst_share_ = in_bursts * options_.packets_per_flow / mean_within(&FlowShapes::burst);
  const double rest = options_.packets_per_flow * (1 - in_bursts);
  elephant_share_ = std::clamp((rest - mice) / (elephants - mice), 0.0, 1.0);
}

FlowShape FlowShapes::mouse(Random& random) const {
  const double size = std::pow(1 - random.uniform(), -1 / mouse_exponent_);
  const std::uint32_t packets =
      size >= mouse_largest ? mouse_largest : static_cast<std::uint32_t>(size);
  return {std::min(packets, options_.largest),
          packets / random.lognormal(mouse_duration, duration_sigma)};
}

FlowShape FlowShapes::elephant(Random& random) const {
  const double size = 1 + random.lognormal(elephant_median, elephant_sigma);
  const auto packets = static_cast<std::uint32_t>(std::min<double>(size, options_.largest));
  return {packets, packets / random.lognormal(elephant_duration, duration_sigma)};
}

FlowShape FlowShapes::burst(Random& random) const {
  const auto& [share, rate, smallest, largest] = options_.bursts;
  const double size = 1 / (1 / smallest - random.uniform() * (1 / smallest - 1 / largest));
  const auto packets = static_cast<std::uint32_t>(std::min<double>(size, options_.largest));
  return {packets, random.lognormal(rate, burst_rate_sigma)};
}

FlowShape FlowShapes::draw(Random& random) const {
  if (random.chance(burst_share_)) return burst(random);
  return random.chance(elephant_share_) ? elephant(random) : mouse(random);
}

void draw_times(Random& random, const FlowShape& shape, std::vector<double>& times) {
  const double round_trip = random.lognormal(round_trip_median, round_trip_sigma);
  const double gap = random.lognormal(gap_median, gap_sigma);
  // At least two packets at a time, as with TCP's delayed acknowledgments (RFC 5681 section 4.2);
  // the rounds of a slow flow are then further apart than a round trip.
  const double window_limit = std::max(2.0, shape.packets_per_second * round_trip);
  const double round = std::max(round_trip, window_limit / shape.packets_per_second);
  double start = 0, window = 2;
  times.clear();
  while (times.size() < shape.size) {
    double at = start;
    const auto end =
        std::min<std::size_t>(shape.size, times.size() + static_cast<std::size_t>(window));
    while (times.size() < end) {
      times.push_back(at);
      at += random.exponential(gap);
    }
    window = std::min(window * 2, window_limit);
    start = std::max(start + round * random.uniform(0.9, 1.1), at);
  }
}

}  // namespace sojourn
