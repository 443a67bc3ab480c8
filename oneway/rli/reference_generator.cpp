#include "oneway/rli/reference_generator.h"

#include <algorithm>
#include <cmath>

namespace sojourn {

std::optional<Timestamp> ReferenceGenerator::timer() const {
  const bool by_clock =
      options_.scheme == Injection::every_tau || options_.scheme == Injection::either;
  if (!by_clock || !last_) return std::nullopt;
  return *last_ + options_.interval;
}

bool ReferenceGenerator::passes(Timestamp time, std::uint32_t bytes) {
  passed(time, 1, bytes);
  if (!counts()) return false;
  if (options_.scheme != Injection::adaptive) return packets_ >= options_.packets;
  return static_cast<double>(packets_) * rate_ >= 1;
}

std::optional<std::uint64_t> ReferenceGenerator::packets_until_due() const {
  if (!counts()) return std::nullopt;
  if (options_.scheme != Injection::adaptive) return options_.packets;
  return static_cast<std::uint64_t>(std::ceil(1 / rate_));
}

void ReferenceGenerator::passed(Timestamp time, std::uint64_t packets, std::uint64_t bytes) {
  if (!last_) last_ = time;
  packets_ += packets;
  bytes_ += bytes;
}

void ReferenceGenerator::injected(Timestamp time) {
  if (options_.scheme == Injection::adaptive && last_) adapt(difference(time, *last_));
  last_ = time;
  packets_ = 0;
  bytes_ = 0;
}

/// Algorithm 1, lines 10 to 13.
void ReferenceGenerator::adapt(Duration since) {
  if (since <= Duration::zero()) return;  // no time has passed: the load is unknown
  const double seconds = static_cast<double>(to_ns(since)) * 1e-9;
  const double instant = static_cast<double>(bytes_) / seconds / options_.capacity_bytes_a_second;
  utilisation_ = instant * options_.smoothing + utilisation_ * (1 - options_.smoothing);
  const double effective =
      std::clamp(utilisation_, options_.least_utilisation, options_.most_utilisation);
  const double position = (effective - options_.least_utilisation) /
                          (options_.most_utilisation - options_.least_utilisation);
  rate_ = std::sqrt(1 - position * position) * (options_.most_rate - options_.least_rate) +
          options_.least_rate;
}

}  // namespace sojourn
