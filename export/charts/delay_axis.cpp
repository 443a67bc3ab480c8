#include "export/charts/delay_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sojourn {
namespace {

constexpr std::array<double, 4> steps = {1, 2, 5, 10};

double log_of(Duration delay) {
  return std::log10(static_cast<double>(std::max<std::int64_t>(delay.count(), 1)));
}

/// Slack for powers of ten whose logarithm is not exact.
constexpr double slack = 1e-9;

double round_down(double logarithm) {
  const double decade = std::floor(logarithm + slack);
  double best = decade;
  for (const double step : steps)
    if (decade + std::log10(step) <= logarithm + slack) best = decade + std::log10(step);
  return best;
}

double round_up(double logarithm) {
  const double decade = std::floor(logarithm);
  for (const double step : steps)
    if (decade + std::log10(step) >= logarithm - slack) return decade + std::log10(step);
  return decade + 1;
}

}  // namespace

DelayAxis::DelayAxis(Duration low, Duration high)
    : low_(round_down(log_of(low))), high_(round_up(log_of(high))) {
  if (high_ - low_ < std::log10(2.0) - slack) high_ = round_up(low_ + std::log10(2.0) - slack);
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
  for (double decade = std::floor(low_ + slack); decade <= high_ + slack; ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double at = decade + std::log10(step);
      if (at > 18.9) continue;  // beyond 64 bits of nanoseconds
      if ((step != 1 && !fine) || at < low_ - slack || at > high_ + slack) continue;
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
