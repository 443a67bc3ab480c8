#include "estimate/path_legs.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sojourn {
namespace {

PathLegs::Side side_of(const Measurement& measurement, Kind kind, Leg leg) {
  const Distribution& delays = measurement.leg(kind, leg);
  const auto estimates = delays.estimates(std::array{0.5, 0.95});
  return {leg, delays.count(), estimates[0], estimates[1]};
}

}  // namespace

double PathLegs::share(Duration near, Duration far) {
  // A clock that stepped back may make a delay negative; it counts as zero.
  const double n = static_cast<double>(std::max(near, Duration{0}).count());
  const double f = static_cast<double>(std::max(far, Duration{0}).count());
  return n + f > 0 ? f / (n + f) : 0.5;
}

bool PathLegs::certain() const {
  const bool far_is_longer = far.median.delay > near.median.delay;
  const Interval& longer = far_is_longer ? far.median.interval : near.median.interval;
  const Interval& shorter = far_is_longer ? near.median.interval : far.median.interval;
  return longer.bounded_below && shorter.bounded_above && longer.low > shorter.high;
}

std::optional<PathLegs> path_legs(const Measurement& measurement, std::uint64_t enough) {
  struct Choice {
    Kind kind;
    Leg near, far;
    std::uint64_t samples;  ///< on the leg with fewer
  };
  std::optional<Choice> best;
  for (const Kind kind : {Kind::handshake, Kind::tcp_ts, Kind::tcp, Kind::quic})
    for (const auto& [near, far] :
         {std::pair{Leg::client, Leg::server}, std::pair{Leg::internal, Leg::external}}) {
      const std::uint64_t samples =
          std::min(measurement.leg(kind, near).count(), measurement.leg(kind, far).count());
      if (samples > 0 && (!best || (best->samples < enough && samples > best->samples)))
        best = Choice{kind, near, far, samples};
    }
  if (!best) return std::nullopt;
  return PathLegs{best->kind, side_of(measurement, best->kind, best->near),
                  side_of(measurement, best->kind, best->far)};
}

}  // namespace sojourn
