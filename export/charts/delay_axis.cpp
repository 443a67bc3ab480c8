#include "export/charts/delay_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "export/charts/log_steps.h"

namespace sojourn {
namespace {

double log_of(Duration delay) {
  return std::log10(static_cast<double>(std::max<std::int64_t>(delay.count(), 1)));
}

}  // namespace

DelayAxis::DelayAxis(Duration low, Duration high)
    : low_(log_step_below(log_of(low))), high_(log_step_above(log_of(high))) {
  if (high_ - low_ < std::log10(2.0) - axis_slack)
    high_ = log_step_above(low_ + std::log10(2.0) - axis_slack);
}

double DelayAxis::position(Duration delay) const {
  return std::clamp((log_of(delay) - low_) / (high_ - low_), 0.0, 1.0);
}

Duration DelayAxis::delay_at(double position) const {
  return Duration{std::llround(std::pow(10.0, std::min(low_ + position * (high_ - low_), 18.9)))};
}

std::vector<DelayAxis::Tick> DelayAxis::ticks() const {
  const bool fine = high_ - low_ < 2.5;
  std::vector<Tick> ticks;
  for (double decade = std::floor(low_ + axis_slack); decade <= high_ + axis_slack; ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(step);
      if (at > 18.9) continue;  // beyond 64 bits of nanoseconds
      if ((step != 1 && !fine) || at < low_ - axis_slack || at > high_ + axis_slack) continue;
      const Duration delay{std::llround(step * std::pow(10.0, decade))};
      ticks.push_back({delay, tick_label(delay)});
    }
  }
  return ticks;
}

std::string tick_label(Duration delay) {
  const std::int64_t ns = delay.count();
  if (ns >= 1'000'000'000) return fmt::format("{} s", ns / 1'000'000'000);
  if (ns >= 1'000'000) return fmt::format("{} ms", ns / 1'000'000);
  if (ns >= 1'000) return fmt::format("{} us", ns / 1'000);
  return fmt::format("{} ns", ns);
}

}  // namespace sojourn
