#pragma once
// Random numbers of the lab: one seed gives the same traffic on every machine.

#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/hash.h"

namespace sojourn {

/// splitmix64 and the distributions that traffic models ask for.  The standard library's
/// distributions differ from one library to the next; these do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() { return split_mix(state_); }
  /// In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Below `count`, which is not 0.  The bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * count) >> 64);
  }
  bool chance(double probability) { return uniform() < probability; }

  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  double weibull(double scale, double shape) {
    return scale * std::pow(-std::log1p(-uniform()), 1 / shape);
  }
  /// Box and Muller 1958; the second value is not kept, so that calls are independent of each
  /// other.
  double normal(double mean, double deviation) {
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    return mean + deviation * radius * std::cos(2 * std::numbers::pi * uniform());
  }
  /// P(X > x) = (least / x)^index.
  double pareto(double least, double index) { return least * std::pow(1 - uniform(), -1 / index); }
  double lognormal(double median, double sigma) { return median * std::exp(normal(0, sigma)); }

 private:
  std::uint64_t state_;
};

}  // namespace sojourn
