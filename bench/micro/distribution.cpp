// What does one sample cost on its way into the figures?

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "estimate/measurement.h"

namespace sojourn {
namespace {

/// Delays of a path with a lognormal spread of an octave, as a capture would give them.
const std::vector<Duration>& delays() {
  static const std::vector<Duration> values = [] {
    std::mt19937_64 random{1};
    std::lognormal_distribution<double> path{std::log(20e6), 0.7};
    std::vector<Duration> drawn;
    for (int i = 0; i < 1 << 16; ++i) drawn.emplace_back(std::llround(path(random)));
    return drawn;
  }();
  return values;
}

void add(benchmark::State& state, Keep keep, double weight) {
  for (auto _ : state) {
    Distribution distribution{keep};
    for (int round = 0; round < 32; ++round)  // 2 million samples, as of a large capture
      for (const Duration delay : delays()) distribution.add(delay, weight);
    benchmark::DoNotOptimize(distribution.count());
  }
  state.SetItemsProcessed(state.iterations() * 32 * static_cast<std::int64_t>(delays().size()));
}
BENCHMARK_CAPTURE(add, histogram, Keep::histogram, 1.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(add, histogram_weighted, Keep::histogram, 1.5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(add, every_sample, Keep::every_sample, 1.0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(add, every_sample_weighted, Keep::every_sample, 1.5)
    ->Unit(benchmark::kMillisecond);

void add_light(benchmark::State& state) {
  for (auto _ : state) {
    Measurement measurement;
    for (int round = 0; round < 32; ++round)
      for (std::size_t i = 0; i < delays().size(); ++i)
        measurement.add_light(Kind::tcp, i % 3 == 0 ? Leg::client : Leg::server, {}, delays()[i]);
    benchmark::DoNotOptimize(measurement.leg(Kind::tcp, Leg::server).count());
  }
  state.SetItemsProcessed(state.iterations() * 32 * static_cast<std::int64_t>(delays().size()));
}
BENCHMARK(add_light)->Unit(benchmark::kMillisecond);

void eight_quantiles_with_intervals(benchmark::State& state, Keep keep) {
  Distribution distribution{keep};
  for (int round = 0; round < 32; ++round)
    for (const Duration delay : delays()) distribution.add(delay);
  const std::vector<double> qs = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
  for (auto _ : state) benchmark::DoNotOptimize(distribution.estimates(qs));
}
BENCHMARK_CAPTURE(eight_quantiles_with_intervals, histogram, Keep::histogram)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(eight_quantiles_with_intervals, every_sample, Keep::every_sample)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sojourn
