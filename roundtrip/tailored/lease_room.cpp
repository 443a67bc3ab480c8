#include "roundtrip/tailored/lease_room.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "roundtrip/tailored/tuning.h"

namespace sojourn {
namespace {

double length_of(unsigned step) {
  return static_cast<double>(WaitSteps::longest_ns(step) - WaitSteps::longest_ns(step - 1));
}

}  // namespace

double refused_share(unsigned slots_a_line, double load) {
  const double offered = load * slots_a_line;
  double refused = 1;  // of a line without slots; one slot more at a time
  for (unsigned slots = 1; slots <= slots_a_line; ++slots)
    refused = offered * refused / (slots + offered * refused);
  return refused;
}

std::array<double, WaitSteps::count> scaled_to_room(std::array<double, WaitSteps::count> shape,
                                                    const LeaseRoom& room) {
  std::array<double, WaitSteps::count> cost{};  // in loads, of a chance of 1
  double most = 0, unscaled = 0;
  for (unsigned j = 1; j < WaitSteps::count; ++j) {
    if (shape[j] == 0) continue;
    const double ahead_ns =
        std::max(room.horizon_ns - static_cast<double>(WaitSteps::longest_ns(j - 1)), 0.0);
    cost[j] = room.unanswered[j] * std::min(length_of(j), ahead_ns) / room.slots_a_request_ns;
    most += cost[j];
    unscaled += cost[j] * shape[j];
  }
  if (most <= tailored_tuning.no_load) {
    for (double& chance : shape) chance = chance > 0 ? 1 : 0;
    return shape;
  }
  const double most_load =
      std::clamp(static_cast<double>(room.lines) / tailored_tuning.lines_a_load, 1.0,
                 tailored_tuning.most_load);
  double best = 0, least_error = std::numeric_limits<double>::infinity();
  const double first =
      std::clamp(std::log2(tailored_tuning.no_load / std::max(unscaled, 1e-300)),
                 -1.0 * tailored_tuning.most_octaves, 1.0 * tailored_tuning.most_octaves);
  for (double k = std::floor(first * tailored_tuning.scales_an_octave);
       k <= tailored_tuning.most_octaves * tailored_tuning.scales_an_octave; ++k) {
    const double scale = std::exp2(k / tailored_tuning.scales_an_octave);
    double variance = 0, load = 0;
    bool all = true;
    for (unsigned j = 1; j < WaitSteps::count; ++j) {
      if (shape[j] == 0) continue;
      const double chance = std::min(1.0, scale * shape[j]);
      variance += shape[j] * shape[j] * length_of(j) / chance;
      load += chance * cost[j];
      all &= chance == 1;
    }
    const double error = variance / (1 - refused_share(room.slots_a_line, load));
    if (error < least_error || best == 0) {
      least_error = error;
      best = scale;
    }
    if (load > most_load || all) break;
  }
  for (double& chance : shape) chance = std::min(1.0, best * chance);
  return shape;
}

}  // namespace sojourn
