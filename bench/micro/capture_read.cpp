// How fast is a capture walked, without looking into its packets?  The file lies in the page cache;
// opening and closing count, since unmapping is a part of the price of mapping.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "capture/files/open.h"

namespace {

using namespace sojourn;

constexpr std::uint32_t packets = 2'000'000, frame_size = 100;

void append(std::vector<char>& bytes, std::uint32_t word) {
  const auto* raw = reinterpret_cast<const char*>(&word);
  bytes.insert(bytes.end(), raw, raw + sizeof word);
}

std::vector<char> pcap() {
  std::vector<char> bytes;
  for (const std::uint32_t word : {0xa1b23c4du, 0x0004'0002u, 0u, 0u, 65'535u, 1u})
    append(bytes, word);
  for (std::uint32_t i = 0; i < packets; ++i) {
    for (const std::uint32_t word : {i / 1'000'000, i % 1'000'000, frame_size, frame_size})
      append(bytes, word);
    bytes.resize(bytes.size() + frame_size);
  }
  return bytes;
}

std::vector<char> pcapng() {
  std::vector<char> bytes;
  for (const std::uint32_t word : {0x0a0d0d0au, 28u, 0x1a2b3c4du, 1u, ~0u, ~0u, 28u})
    append(bytes, word);
  for (const std::uint32_t word : {1u, 20u, 1u, 0u, 20u}) append(bytes, word);
  for (std::uint32_t i = 0; i < packets; ++i) {
    for (const std::uint32_t word : {6u, 32 + frame_size, 0u, 0u, i, frame_size, frame_size})
      append(bytes, word);
    bytes.resize(bytes.size() + frame_size);
    append(bytes, 32 + frame_size);
  }
  return bytes;
}

void walk(benchmark::State& state, const std::vector<char>& bytes) {
  const auto path = std::filesystem::temp_directory_path() / "sojourn_bench_capture_read";
  std::ofstream{path, std::ios::binary}.write(bytes.data(),
                                              static_cast<std::streamsize>(bytes.size()));
  std::array<Packet, 64> batch;
  for (auto _ : state) {
    const auto source = open_capture(path.string());
    if (!source) std::abort();
    for (Source::Filled filled; !filled.end;) {
      filled = (*source)->next(batch);
      benchmark::DoNotOptimize(batch);
    }
    if ((*source)->counters().packets != packets) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * packets);
  std::filesystem::remove(path);
}

void walk_pcap(benchmark::State& state) { walk(state, pcap()); }
void walk_pcapng(benchmark::State& state) { walk(state, pcapng()); }

BENCHMARK(walk_pcap)->Unit(benchmark::kMillisecond);
BENCHMARK(walk_pcapng)->Unit(benchmark::kMillisecond);

}  // namespace
