#include "experiments/roundtrip/interval_traffic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/random.h"

namespace sojourn {
namespace {

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

std::uint32_t size_of_flow(const IntervalTraffic& traffic, Random& random) {
  constexpr double index = 1.5, most = 1e5;
  switch (traffic.sizes) {
    case FlowSizes::one:
      break;
    case FlowSizes::geometric:
      return 1 + static_cast<std::uint32_t>(random.exponential(traffic.mean_size - 0.5));
    case FlowSizes::pareto:  // the mean of a Pareto variable is index / (index - 1) times its least
      return static_cast<std::uint32_t>(
          std::min(most, random.pareto(traffic.mean_size * (index - 1) / index, index)));
  }
  return 1;
}

/// A time of a request, and whether it is of a burst.
struct Moment {
  double ns;
  bool in_burst;
};

Moment draw_moment(const IntervalTraffic& traffic, Random& random) {
  constexpr double burst_share = 0.2;  // of every second
  const double second = std::floor(random.uniform() * IntervalTraffic::seconds);
  if (!traffic.bursts) return {(second + random.uniform()) * 1e9, false};
  const bool in_burst = random.chance(0.5);  // 4 * 0.2 against 1 * 0.8
  const double within = in_burst ? random.uniform(0, burst_share) : random.uniform(burst_share, 1);
  return {(second + within) * 1e9, in_burst};
}

}  // namespace

double IntervalTraffic::quantile_ns(double q) const {
  const double sigma = std::hypot(own_sigma, jitter);
  const auto cdf = [&](double log_ratio) {
    const double quiet = normal_cdf(log_ratio / sigma);
    if (!bursts) return quiet;
    return (quiet + normal_cdf((log_ratio - std::log(burst_delay)) / sigma)) / 2;
  };
  double low = -20, high = 20;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (cdf(middle) < q ? low : high) = middle;
  }
  return median_ns * std::exp(low);
}

std::vector<FlowEvent> IntervalTraffic::events(std::uint64_t seed) const {
  Random random{seed};
  std::vector<FlowEvent> all;
  std::uint32_t id = 0;
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    const double own = random.lognormal(median_ns * spread, own_sigma);
    for (std::uint32_t left = size_of_flow(*this, random); left > 0; --left, ++id) {
      const Moment moment = draw_moment(*this, random);
      const auto sent_ns = std::llround(moment.ns);
      all.push_back({sent_ns, id, flow, true});
      if (!random.chance(answered)) continue;
      const double delay = own * random.lognormal(1, jitter) * (moment.in_burst ? burst_delay : 1);
      all.push_back({sent_ns + std::llround(delay), id, flow, false});
    }
  }
  std::ranges::sort(all, [](const FlowEvent& a, const FlowEvent& b) {
    return a.ns != b.ns ? a.ns < b.ns : a.is_request > b.is_request;
  });
  return all;
}

std::vector<IntervalTraffic> interval_traffic() {
  return {
      {.name = "independent"},
      {.name = "correlated", .sizes = FlowSizes::geometric, .flows = 1000, .mean_size = 20},
      {.name = "bursty",
       .sizes = FlowSizes::geometric,
       .flows = 1000,
       .mean_size = 20,
       .bursts = true},
      {.name = "heavy-tailed", .sizes = FlowSizes::pareto, .flows = 1000, .mean_size = 20},
      {.name = "heavy-tailed, 100 flows",
       .sizes = FlowSizes::pareto,
       .flows = 100,
       .mean_size = 20},
  };
}

}  // namespace sojourn
