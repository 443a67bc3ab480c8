#include "pipeline/kernel_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sojourn {
namespace {

using namespace std::chrono_literals;
constexpr Duration a_second = 1s;
constexpr std::uint64_t everyone = std::uint64_t{1} << 32;

std::uint64_t threshold(double probability) {
  const double scaled = std::round(std::clamp(probability, 0x1p-31, 1.0) * 0x1p32);
  return static_cast<std::uint64_t>(scaled);
}

}  // namespace

KernelPlan::KernelPlan(const dp_config& config, const Options& options)
    : options_(options),
      expire_(static_cast<std::int64_t>(config.expire_ns)),
      slowest_life_(static_cast<double>(slot_count(config)) / config.fridges /
                    share_of(config, config.fridges - 1)),
      requests_(options.longest),
      requests_now_(a_second),
      samples_(a_second) {
  probability_ = options.entry_probability.value_or(1);
}

double KernelPlan::for_the_longest() const {
  return slowest_life_ / std::max(requests_.in_span(), 1.0);
}

/// As many samples as now, times what p would change.  Aims lower by as much as p has play, so that
/// what was asked for is a bound and not a mean.
double KernelPlan::for_the_reader() const {
  if (!options_.most_samples) return 1;
  const double in_a_second = samples_.in_span(), play = std::exp2(0.75 / 2);
  return probability_ * *options_.most_samples / play / std::max(in_a_second, 1.0);
}

double KernelPlan::for_the_machine() const {
  return options_.most_requests / std::max(requests_now_.in_span(), 1.0);
}

void KernelPlan::update(std::uint64_t arrivals, std::uint64_t samples, Timestamp now,
                        dp_control& control) {
  const std::uint64_t arrived = arrivals - std::exchange(arrivals_seen_, arrivals);
  requests_.add(arrived, now);
  requests_now_.add(arrived, now);
  samples_.add(samples - std::exchange(samples_seen_, samples), now);
  if (!started_) {
    started_ = now;
    enter(probability_, now, control);
  }
  if (!options_.entry_probability) {
    // Half octaves with a quarter of an octave of play (FRIDGE section 5.2: flat within a factor
    // of two).  Upwards a step at a time: what follows a lull may be a burst.
    const double wanted = std::min({for_the_longest(), for_the_reader(), for_the_machine(), 1.0});
    const double level = std::clamp(-2 * std::log2(wanted), 0.0, 60.0);
    if (level > level_ + 0.75)
      level_ = std::ceil(level - 0.25);
    else if (level < level_ - 0.75)
      level_ -= 1;
    level_ = std::max(level_, 0.0);
    const double probability = std::exp2(-level_ / 2);
    if (probability != probability_) {
      // The rate of samples follows p at once, its average only after a while.
      if (options_.most_samples) samples_.scale(probability / probability_);
      probability_ = probability;
    }
  }
  enter(probability_, now, control);
}

/// In an order that misses no request: all requests that may have been admitted are looked up.
void KernelPlan::enter(double probability, Timestamp now, dp_control& control) {
  const std::uint64_t enter_below = threshold(probability);
  std::erase_if(past_, [&](const Past& past) { return past.until < now; });
  if (control.enter_below != enter_below && control.enter_below != 0)
    past_.push_back({now + expire_, control.enter_below});
  std::uint64_t look_below = enter_below;
  for (const Past& past : past_) look_below = std::max(look_below, past.enter_below);
  look_below = std::min(look_below, everyone);
  const auto write = [](__u64& word, std::uint64_t value) {
    *static_cast<volatile __u64*>(&word) = value;
  };
  if (look_below > control.look_below) write(control.look_below, look_below);
  write(control.enter_below, enter_below);
  write(control.look_below, look_below);
}

}  // namespace sojourn
