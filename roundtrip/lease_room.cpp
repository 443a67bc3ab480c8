#include "roundtrip/lease_room.h"

#include <cmath>
#include <limits>

namespace sojourn {
namespace {

constexpr double most_load = 3;  // docs/design/tailored.md has what others gave
// From a scale at which nothing is refused, and all is short of 1, to one at which all that has a share is 1.
constexpr double least_scale = 0x1p-30, most_scale = 0x1p30;
const double scale_step = std::sqrt(std::sqrt(2));

double length_of(unsigned step) {
  return static_cast<double>(WaitSteps::longest_ns(step) - WaitSteps::longest_ns(step - 1));
}

}  // namespace

double refused_share(unsigned slots_a_line, double load) {
  const double offered = load * slots_a_line;
  double refused = 1;  // of a line without slots; one slot more at a time
  for (unsigned slots = 1; slots <= slots_a_line; ++slots) refused = offered * refused / (slots + offered * refused);
  return refused;
}

std::array<double, WaitSteps::count> scaled_to_room(std::array<double, WaitSteps::count> shape, const LeaseRoom& room) {
  double best = 0, least_error = std::numeric_limits<double>::infinity();
  for (double scale = least_scale; scale <= most_scale; scale *= scale_step) {
    double variance = 0, wait_ns = 0;
    for (unsigned j = 1; j < WaitSteps::count; ++j) {
      if (shape[j] == 0) continue;
      const double chance = std::fmin(1, scale * shape[j]);
      variance += shape[j] * shape[j] * length_of(j) / chance;
      const double ahead_ns = std::fmax(room.horizon_ns - static_cast<double>(WaitSteps::longest_ns(j - 1)), 0);
      wait_ns += chance * room.unanswered[j] * std::fmin(length_of(j), ahead_ns);
    }
    const double load = wait_ns / room.slots_a_request_ns;
    const double error = variance / (1 - refused_share(room.slots_a_line, load));
    if (error < least_error || best == 0) {
      least_error = error;
      best = scale;
    }
    if (load > most_load) break;
  }
  for (double& chance : shape) chance = std::fmin(1, best * chance);
  return shape;
}

}  // namespace sojourn
