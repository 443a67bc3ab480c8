#include "oneway/clock.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sojourn {
namespace {

struct Dot {
  double x, y;  // seconds, nanoseconds
};

/// Lower hull of dots sorted by x (Andrew's monotone chain).
std::vector<Dot> lower_hull(std::span<const Dot> dots) {
  std::vector<Dot> hull;
  for (const Dot& dot : dots) {
    while (hull.size() >= 2) {
      const Dot &a = hull[hull.size() - 2], &b = hull.back();
      if ((b.x - a.x) * (dot.y - a.y) - (b.y - a.y) * (dot.x - a.x) > 0) break;
      hull.pop_back();
    }
    hull.push_back(dot);
  }
  return hull;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

bool ClockSkew::significant() const {
  return std::abs(drift_ns) > 3 * noise_ns && std::abs(drift_ns) >= 1000;
}

void SkewEstimator::add(Timestamp sent, Duration delay) {
  const std::int64_t time_ns = to_ns(sent), delay_ns = to_ns(delay);
  if (!started_) {
    started_ = true;
    origin_ns_ = time_ns;
    slices_.resize(most_slices);
  }
  // Packets are slightly out of order; those before the first one belong to its slice.
  const std::int64_t since = std::max<std::int64_t>(0, difference_ns(time_ns, origin_ns_));
  while (since >> width_shift_ >= static_cast<std::int64_t>(most_slices)) widen();
  Slice& slice = slices_[static_cast<std::size_t>(since >> width_shift_)];
  if (!slice.used || delay_ns < slice.delay_ns) slice = {time_ns, delay_ns, true};
}

void SkewEstimator::widen() {
  ++width_shift_;
  for (std::size_t i = 0; i < most_slices / 2; ++i) {
    const Slice left = slices_[2 * i], right = slices_[2 * i + 1];
    const bool take_right = right.used && (!left.used || right.delay_ns < left.delay_ns);
    slices_[i] = take_right ? right : left;
  }
  std::fill(slices_.begin() + most_slices / 2, slices_.end(), Slice{});
}

std::optional<ClockSkew> SkewEstimator::estimate() const {
  std::vector<Dot> dots;
  for (const Slice& slice : slices_)
    if (slice.used)
      dots.push_back({static_cast<double>(slice.time_ns - origin_ns_) * 1e-9,
                      static_cast<double>(slice.delay_ns)});
  std::ranges::sort(dots, {}, &Dot::x);
  if (dots.size() < 3 || dots.back().x <= dots.front().x) return std::nullopt;

  double middle = 0;
  for (const Dot& dot : dots) middle += dot.x / static_cast<double>(dots.size());
  const auto hull = lower_hull(dots);
  std::size_t edge = 0;
  while (edge + 2 < hull.size() && hull[edge + 1].x < middle) ++edge;
  const Dot &a = hull[edge], &b = hull[edge + 1];
  const double slope = (b.y - a.y) / (b.x - a.x);  // nanoseconds a second

  std::vector<double> above;
  for (const Dot& dot : dots) above.push_back(dot.y - (a.y + slope * (dot.x - a.x)));
  return ClockSkew{.per_second = slope * 1e-9,
                   .origin = timestamp_from_ns(origin_ns_),
                   .drift_ns = slope * (dots.back().x - dots.front().x),
                   .noise_ns = median(std::move(above))};
}

std::optional<ClockOffset> clock_offset(std::span<const FlowDelay> flows) {
  constexpr std::size_t most_flows = 65'536;
  flows = flows.first(std::min(flows.size(), most_flows));
  std::unordered_map<FlowKey, const FlowDelay*, FlowKeyHash> by_key;
  std::optional<Duration> low, high;
  for (const FlowDelay& flow : flows) {
    if (!flow.mean_ns || !flow.min_ns || !flow.max_ns) continue;
    by_key.emplace(flow.key, &flow);
    const auto found = by_key.find(flow.key.reversed());
    if (found == by_key.end() || found->second == &flow) continue;
    // For any offset, delay forward plus delay backward is positive: the larger reading is forward.
    const bool is_forward = *flow.mean_ns > *found->second->mean_ns;
    const FlowDelay& forward = is_forward ? flow : *found->second;
    const FlowDelay& backward = is_forward ? *found->second : flow;
    high = std::min(high.value_or(Duration::max()), Duration{*forward.min_ns});
    low = std::max(low.value_or(Duration::min()), Duration{*backward.max_ns});
  }
  // If clocks drift by more than the delays, nothing may be left between the two.
  if (!low || *low > *high) return std::nullopt;
  return ClockOffset{*low, *high};
}

}  // namespace sojourn
