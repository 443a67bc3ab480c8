// What does a request or a response cost in each table?
//
// Random keys; requests 1 us apart, each answered when as many others have come as fill a third of
// the slots; in batches of 64 with the prefetch first, as the pipeline does it.  `total/true` says
// what the table made of it: 1 is right, for staged it is the share that it caught.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/hash.h"
#include "roundtrip/tables/exact_table.h"
#include "roundtrip/tables/fridge_table.h"
#include "roundtrip/tables/fridges_table.h"
#include "roundtrip/tables/leased_table.h"
#include "roundtrip/tables/staged_table.h"
#include "roundtrip/tailored/tailored_table.h"

namespace sojourn {
namespace {

constexpr std::uint64_t batch = 64;
constexpr std::uint64_t batches_a_round = 4096;

/// Keys are computed, not stored: reading them would compete with the table for memory.
std::uint64_t key_of(std::uint64_t number) { return split_mix(number *= 0x9e3779b97f4a7c15u); }

template <class Table>
void run(benchmark::State& state, const typename Table::Options& options) {
  const std::uint64_t distance = static_cast<std::uint64_t>(state.range(0)) / 48 / batch * batch;
  Table table{options};
  double weight = 0;
  std::uint64_t next = 0;
  std::array<std::uint64_t, batch> asked, answered;
  const auto one_batch = [&] {
    for (std::uint64_t i = 0; i < batch; ++i) {
      table.prefetch(asked[i] = key_of(next + i));
      table.prefetch(answered[i] = key_of(next + i - distance));
    }
    for (std::uint64_t i = 0; i < batch; ++i) {
      const Timestamp time = timestamp_from_ns(static_cast<std::int64_t>(next + i) * 1000);
      table.request(asked[i], time, repeat_is_ambiguous);
      if (const auto match = table.response(answered[i], time)) weight += match->weight;
    }
    next += batch;
  };
  // Once through a table of twice as many requests as it has slots, so that it is in its stride.
  for (std::uint64_t i = 0; i < 6 * distance / batch; ++i) one_batch();
  weight = 0;
  for (auto _ : state)
    for (std::uint64_t i = 0; i < batches_a_round; ++i) one_batch();
  const auto pairs = static_cast<double>(state.iterations()) * batches_a_round * batch;
  state.SetItemsProcessed(static_cast<std::int64_t>(2 * pairs));
  state.counters["total/true"] = weight / pairs;
}

std::size_t bytes(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}
/// Twice the time that a pair takes here.
Duration longest(const benchmark::State& state) { return Duration{state.range(0) / 48 * 2000}; }

void exact(benchmark::State& state) { run<ExactTable>(state, {}); }
void staged(benchmark::State& state) { run<StagedTable>(state, {.memory_bytes = bytes(state)}); }
void staged_in_one_line(benchmark::State& state) {
  run<BasicStagedTable<StageLayout::one_cache_line>>(state, {.memory_bytes = bytes(state)});
}
void fridge(benchmark::State& state) { run<FridgeTable>(state, {.memory_bytes = bytes(state)}); }
void fridge_tuning(benchmark::State& state) {
  run<FridgesTable>(state, {.memory_bytes = bytes(state), .fridges = 1, .longest = longest(state)});
}
void fridges(benchmark::State& state) {
  run<FridgesTable>(state, {.memory_bytes = bytes(state), .longest = longest(state)});
}
void leased(benchmark::State& state) { run<LeasedTable>(state, {.memory_bytes = bytes(state)}); }
void tailored(benchmark::State& state) {
  run<TailoredTable>(state, {.memory_bytes = bytes(state)});
}
void sizes(benchmark::internal::Benchmark* one) {
  one->Arg(64 << 10)->Arg(4 << 20)->Arg(256 << 20)->Unit(benchmark::kMillisecond);
}
BENCHMARK(exact)->Apply(sizes);
BENCHMARK(staged)->Apply(sizes);
BENCHMARK(staged_in_one_line)->Apply(sizes);
BENCHMARK(fridge)->Apply(sizes);
BENCHMARK(fridge_tuning)->Apply(sizes);
BENCHMARK(fridges)->Apply(sizes);
BENCHMARK(leased)->Apply(sizes);
BENCHMARK(tailored)->Apply(sizes);

}  // namespace
}  // namespace sojourn
