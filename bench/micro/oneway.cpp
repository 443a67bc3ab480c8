// What do the one-way methods cost: a packet in the flow cache and in the RLI receiver, a flow in
// Multiflow?
//
// Packets come from as many flows as the argument says, drawn at random, in batches of 256.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "core/hash.h"
#include "oneway/cnf/cnf_estimators.h"
#include "oneway/cnf/flow_cache.h"
#include "oneway/rli/rli_receiver.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

FlowKey key_of(std::uint32_t flow) {
  const auto octet = [flow](int shift) { return static_cast<std::byte>(flow >> shift); };
  const std::array<std::byte, 4> source{std::byte{10}, octet(16), octet(8), octet(0)};
  const std::array<std::byte, 4> destination{std::byte{192}, std::byte{0}, std::byte{2},
                                             std::byte{1}};
  return {IpAddress::v4(source), IpAddress::v4(destination), 1024, 443, 6};
}

constexpr std::size_t batch_size = 256, batches = 4096;

/// A million packets, prepared: the cost of making them is not ours.
std::vector<ObservedPacket> packets_of(std::uint32_t flows) {
  std::vector<ObservedPacket> packets;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < batch_size * batches; ++i) {
    const auto flow = static_cast<std::uint32_t>(split_mix(state) % flows);
    std::uint64_t hash = flow;
    packets.push_back(
        {key_of(flow), split_mix(hash), {}, 500, static_cast<std::uint32_t>(state), 16});
  }
  return packets;
}

/// Sets the times of a batch, one microsecond a packet.
std::span<ObservedPacket> next_batch(std::vector<ObservedPacket>& packets, std::size_t& place,
                                     std::int64_t& now_ns) {
  const std::span batch{packets.data() + place, batch_size};
  for (ObservedPacket& packet : batch) packet.time = timestamp_from_ns(now_ns += 1000);
  place = (place + batch_size) % packets.size();
  return batch;
}

void flow_cache(benchmark::State& state) {
  auto packets = packets_of(static_cast<std::uint32_t>(state.range(0)));
  FlowCache cache{{.memory_bytes = static_cast<std::size_t>(state.range(0)) * 160}};
  std::vector<FlowRecord> records;
  std::size_t place = 0;
  std::int64_t now_ns = 1;
  const auto one_batch = [&] {
    cache.add(next_batch(packets, place, now_ns), records);
    if (records.size() > 100'000) records.clear();
  };
  for (std::size_t i = 0; i < batches; ++i) one_batch();  // all memory is touched, every flow known
  for (auto _ : state) one_batch();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch_size));
}

template <RliEstimator estimator>
void rli_receiver(benchmark::State& state) {
  auto packets = packets_of(static_cast<std::uint32_t>(state.range(0)));
  RliReceiver receiver{{.estimator = estimator,
                        .capacity_bytes_a_second = 1e9,
                        .flow_memory_bytes = static_cast<std::size_t>(state.range(0)) * 160,
                        .sender = {}}};
  std::size_t place = 0;
  std::int64_t now_ns = 1;
  std::uint32_t sequence = 0;
  const auto one_batch = [&] {  // and a reference packet before it
    receiver.reference({1, ++sequence, timestamp_from_ns(now_ns - 5000)},
                       timestamp_from_ns(now_ns));
    receiver.packets(next_batch(packets, place, now_ns));
  };
  for (std::size_t i = 0; i < batches; ++i) one_batch();
  for (auto _ : state) one_batch();
  benchmark::DoNotOptimize(receiver.aggregate());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch_size));
}

void multiflow(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::uint64_t random = 1;
  const auto time = [&] {
    return timestamp_from_ns(static_cast<std::int64_t>(split_mix(random) % 60'000'000'000));
  };
  std::vector<FlowRecord> records(count);
  std::vector<AssociatedFlow> flows(count);
  for (std::size_t i = 0; i < count; ++i) {
    records[i].first = time();
    records[i].last =
        records[i].first + Duration{static_cast<std::int64_t>(split_mix(random) % 5'000'000'000)};
    flows[i] = {i, Duration{static_cast<std::int64_t>(split_mix(random) % 100'000)}, 5us};
  }
  const DelaySeries series = delay_series(flows, records);
  std::vector<DelaySummary> out(count);
  for (auto _ : state) {
    multiflow_estimates(flows, records, series, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

BENCHMARK(flow_cache)->Arg(1000)->Arg(50'000)->Arg(1'000'000);
BENCHMARK(rli_receiver<RliEstimator::interpolate>)->Arg(1000)->Arg(50'000)->Arg(1'000'000);
BENCHMARK(rli_receiver<RliEstimator::left_only>)->Arg(1000)->Arg(50'000);
BENCHMARK(rli_receiver<RliEstimator::queue_aware>)->Arg(1000)->Arg(50'000);
BENCHMARK(multiflow)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sojourn
