#include <array>

#include "experiments/experiment.h"

namespace sojourn {

std::span<const Experiment> experiments() {
  static constexpr std::array<Experiment, 0> all = {};
  return all;
}

}  // namespace sojourn
