#include "estimate/distribution/serial_dependence.h"

#include <algorithm>
#include <vector>

namespace sojourn {
namespace {

constexpr std::size_t most_batches = 20;
constexpr std::size_t shortest_batch = 3;
constexpr std::size_t fewest_samples = 15;

/// Sums over some samples, for one level.
struct Sums {
  double below = 0;          ///< weight at or below the level
  double squares_below = 0;  ///< of squared weight
};

}  // namespace

double variance_inflation(const SampleLog& log, std::span<const std::int64_t> levels_ns) {
  if (log.size() < fewest_samples || levels_ns.empty()) return 1;
  const std::size_t batches = std::min(most_batches, log.size() / shortest_batch);
  std::vector<Sums> sums(batches * levels_ns.size());
  std::vector<double> weights(batches);
  double squares = 0;
  std::size_t number = 0;
  log.for_each([&](std::int64_t ns, double weight) {
    const std::size_t batch = number++ * batches / log.size();
    weights[batch] += weight;
    squares += weight * weight;
    for (std::size_t k = 0; k < levels_ns.size(); ++k) {
      if (ns > levels_ns[k]) continue;
      Sums& sum = sums[batch * levels_ns.size() + k];
      sum.below += weight;
      sum.squares_below += weight * weight;
    }
  });

  double weight = 0;
  for (const double part : weights) weight += part;
  double greatest = 1;
  for (std::size_t k = 0; k < levels_ns.size(); ++k) {
    double below = 0, squares_below = 0;
    for (std::size_t b = 0; b < batches; ++b) {
      below += sums[b * levels_ns.size() + k].below;
      squares_below += sums[b * levels_ns.size() + k].squares_below;
    }
    const double f = below / weight;
    double between = 0;
    for (std::size_t b = 0; b < batches; ++b) {
      const double deviation = sums[b * levels_ns.size() + k].below - f * weights[b];
      between += deviation * deviation;
    }
    // F uses one degree of freedom.
    between *= static_cast<double>(batches) / static_cast<double>(batches - 1);
    const double independent =
        (1 - f) * (1 - f) * squares_below + f * f * (squares - squares_below);
    if (independent > 0) greatest = std::max(greatest, between / independent);
  }
  return greatest;
}

}  // namespace sojourn
