// How fast does the collector join, how fast does the store take cells, and how fast does it
// answer?
//
//     build/release/bench/bench_store
//
// `store_cells`: blocks of a slice of 1 000 prefixes with 30 cells each, one transaction a slice,
// with ledgers, merging of tiers and fsync as in real life.  `query_a_day`: a day of 10 s slices of
// 1 000 prefixes by prefix, in a fresh process' place: the pages are in the cache of the system, as
// after a collector has written them.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "collector/collector.h"
#include "oneway/test_flows.h"
#include "store/cell_batch.h"
#include "store/question.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp day = timestamp_from_ns(1'699'999'200'000'000'000);
const std::vector<std::string> names = {"north:south"};

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sojourn_bench_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// One slice: `prefixes` of them with `cells` each.
void fill(CellBatch& batch, Timestamp slice, int prefixes, int cells, std::mt19937_64& random) {
  for (int prefix = 0; prefix < prefixes; ++prefix) {
    CellSeries series;
    series.slice = slice;
    series.measure = number_of(Measure::oneway);
    const std::array<std::byte, 4> address{std::byte{10}, static_cast<std::byte>(prefix >> 8),
                                           static_cast<std::byte>(prefix), std::byte{0}};
    series.prefix = IpAddress::v4(address);
    series.prefix_length = 24;
    for (int cell = 0; cell < cells; ++cell)
      batch.add(series,
                LogBuckets::index_of(5'000'000 + prefix * 10'000) +
                    static_cast<std::int32_t>(random() % 40),
                FlowTag::of(random()), 1);
  }
}

void store_cells(benchmark::State& state) {
  Folder folder;
  auto store = open_store(folder.path / "s.db");
  if (!store) return state.SkipWithError(store.error().message.c_str());
  std::mt19937_64 random{1};
  Timestamp now = day;
  std::int64_t cells = 0;
  for (auto _ : state) {
    state.PauseTiming();
    CellBatch batch;
    fill(batch, now, 1'000, 30, random);
    batch.blocks();
    cells += static_cast<std::int64_t>(batch.size());
    now += 10s;
    state.ResumeTiming();
    if (!(*store)->write({now, now, names, batch.blocks(), {}, {}})) state.SkipWithError("full");
  }
  state.SetItemsProcessed(cells);
}
BENCHMARK(store_cells)->Unit(benchmark::kMillisecond)->Iterations(60)->UseRealTime();

void query_a_day(benchmark::State& state) {
  Folder folder;
  {
    auto store = open_store(folder.path / "s.db");
    if (!store) return state.SkipWithError(store.error().message.c_str());
    std::mt19937_64 random{1};
    for (Timestamp now = day; now < day + 24h;) {
      CellBatch batch;
      for (int slice = 0; slice < 60; ++slice, now += 10s) fill(batch, now, 1'000, 3, random);
      if (!(*store)->write({now, now, names, batch.blocks(), {}, {}})) state.SkipWithError("full");
    }
  }
  state.counters["MiB"] =
      static_cast<double>(std::filesystem::file_size(folder.path / "s.db")) / (1 << 20);
  const auto store = open_store_for_reading(folder.path / "s.db");
  Question question;
  question.from = day;
  question.to = day + 24h;
  question.prefix_length = 24;
  for (auto _ : state) {
    const auto answer = ask(**store, question);
    if (!answer || answer->subjects[0].rows.size() != 1'001) state.SkipWithError("wrong answer");
    benchmark::DoNotOptimize(answer);
  }
}
BENCHMARK(query_a_day)->Unit(benchmark::kMillisecond)->Iterations(3)->UseRealTime();

/// Records of two points of the same flows, a thousand in a message, until they are joined and
/// judged.
void join_records(benchmark::State& state) {
  CollectorOptions options;
  options.memory_bytes = std::size_t{512} << 20;
  Collector collector{options};
  std::uint32_t flow = 0;
  std::uint64_t number = 0;
  std::int64_t records = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::array<PointReport, 2> reports;
    const Timestamp now = test_time(std::chrono::milliseconds{++number});
    for (int i = 0; i < 1'000; ++i, ++flow) {
      FlowRecord record;
      record.key = test_flow_key(flow);
      record.packets = 5;
      record.first = now - 2s;
      record.last = now - 1s;
      record.first_label = flow * 2654435761u;
      record.last_label = ~record.first_label;
      reports[0].records.push_back(record);
      record.first += 5ms;
      record.last += 5ms;
      reports[1].records.push_back(record);
    }
    for (std::size_t point : {0u, 1u}) {
      reports[point].point = {point == 0 ? "north" : "south", 1};
      reports[point].number = number;
      reports[point].selection = Selection{};
    }
    state.ResumeTiming();
    for (const PointReport& report : reports) collector.take(report, now);
    collector.advance(now);
    if (number % 1'000 == 0) {
      (void)collector.to_store(now);
      collector.stored();
    }
    records += 2'000;
  }
  state.SetItemsProcessed(records);
}
BENCHMARK(join_records)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace sojourn
