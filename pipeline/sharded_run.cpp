#include "pipeline/sharded_run.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>

namespace sojourn {
namespace {

constexpr std::size_t chunk_packets = 2048;  // 128 KiB of summaries: a few chunks fit the L2 cache
constexpr std::size_t chunks_per_thread = 4;
constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// Tells the core that this is a loop that waits.
void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void keep_bytes(std::span<Packet> packets, std::vector<std::byte>& bytes) {
  std::size_t total = 0;
  for (const Packet& packet : packets) total += packet.captured;
  bytes.resize(total);
  std::byte* free = bytes.data();
  for (Packet& packet : packets) {
    std::copy_n(packet.data, packet.captured, free);
    packet.data = free;
    free += packet.captured;
  }
}

}  // namespace

struct ShardedRun::Worker {
  std::size_t shard;
  Parser parser;
  /// Of the chunk that it parses.  No other core ever asks for them, so they stay in the caches of
  /// this one.
  std::vector<Packet> packets = std::vector<Packet>(chunk_packets);
  std::uintptr_t last_start = 0;  ///< address of the chunk that it parsed last
  std::uint64_t next_number = 0;  ///< of the chunk that its shard processes next
};

ShardedRun::ShardedRun(Source& source, std::span<const std::unique_ptr<RttShard>> shards,
                       const HashKey& key, KindSet kinds, bool by_interface, SampleSink* sink)
    : source_(source),
      shards_(shards),
      key_(key),
      kinds_(kinds),
      by_interface_(by_interface),
      sink_(sink),
      ring_(chunks_per_thread * shards.size()),
      end_number_(unknown) {
  for (Chunk& chunk : ring_) {
    chunk.summaries = HugeArray<Summary>{chunk_packets * shards.size()};
    chunk.ends.resize(shards.size());
    chunk.found.resize(shards.size());
  }
}

void ShardedRun::run(const std::atomic<bool>& stop, const std::function<void()>& tick) {
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    workers.push_back({.shard = i, .parser = Parser{key_, kinds_}});
    if (by_interface_) workers.back().parser.tell_interfaces();
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers.size(); ++i)
      threads.emplace_back([this, &worker = workers[i], &stop] { work(worker, stop, {}); });
    work(workers[0], stop, tick);
  }
  for (const Worker& worker : workers) skipped_ += worker.parser.skipped();
  for (const auto& shard : shards_) skipped_[Skip::copy] += shard->copy_filter().copies();
}

void ShardedRun::work(Worker& worker, const std::atomic<bool>& stop,
                      const std::function<void()>& tick) {
  while (worker.next_number < end_number_.load(std::memory_order_acquire)) {
    const std::uint32_t news = news_.load(std::memory_order_acquire);
    bool busy = false;
    while (process_next(worker)) busy = true;
    busy |= take_chunk(worker, stop);
    if (tick) tick();
    if (!busy) await_news(news);
  }
}

bool ShardedRun::take_chunk(Worker& worker, const std::atomic<bool>& stop) {
  std::unique_lock lock{source_mutex_, std::try_to_lock};
  if (!lock || end_number_.load(std::memory_order_relaxed) != unknown) return false;
  Chunk& chunk = ring_[next_number_ % ring_.size()];
  if (chunk.in_use.load(std::memory_order_acquire)) return false;  // the ring is full

  const Source::Filled filled = source_.next(worker.packets);
  const std::span packets{worker.packets.data(), filled.count};
  const std::uint64_t number = next_number_++;
  chunk.first_index = next_index_;
  next_index_ += static_cast<std::uint32_t>(filled.count);
  time_span_.extend(packets, filled.in_order);
  if (!source_.bytes_stay()) keep_bytes(packets, chunk.bytes);
  chunk.shards_left.store(shards_.size(), std::memory_order_relaxed);
  chunk.in_use.store(true, std::memory_order_relaxed);
  if (filled.end || stop.load(std::memory_order_relaxed) || full_.load(std::memory_order_relaxed))
    end_number_.store(next_number_, std::memory_order_release);
  lock.unlock();
  announce();  // another thread may take the source now

  deal(worker, packets, chunk);
  chunk.parsed_number.store(number + 1, std::memory_order_release);
  announce();
  return true;
}

void ShardedRun::deal(Worker& worker, std::span<const Packet> packets, Chunk& chunk) {
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    chunk.ends[shard] = &chunk.summaries[shard * chunk_packets];
  // The chunk that this thread takes next will lie as far ahead of this one as this one of its
  // last.
  const auto start = reinterpret_cast<std::uintptr_t>(worker.packets[0].data);
  const std::uintptr_t step = start - std::exchange(worker.last_start, start);
  worker.parser.deal(packets, chunk.ends, chunk.first_index, static_cast<std::ptrdiff_t>(step));
}

bool ShardedRun::process_next(Worker& worker) {
  Chunk& chunk = ring_[worker.next_number % ring_.size()];
  if (chunk.parsed_number.load(std::memory_order_acquire) != worker.next_number + 1) return false;

  const std::span<Summary> dealt{&chunk.summaries[worker.shard * chunk_packets],
                                 chunk.ends[worker.shard]};
  auto& found = chunk.found[worker.shard];
  found.clear();
  RttShard& shard = *shards_[worker.shard];
  for (std::size_t start = 0; start < dealt.size(); start += batch_size) {
    const auto batch = dealt.subspan(start, std::min(batch_size, dealt.size() - start));
    const auto kept = shard.copy_filter().remove(batch);
    shard.observe(kept);
    shard.process(kept, found);
  }
  if (shard.is_full()) full_.store(true, std::memory_order_relaxed);

  ++worker.next_number;
  // The last shard to process a chunk hands its samples over, then frees it.  The next chunk cannot
  // be finished meanwhile: this thread's own share of it is still to come.
  if (chunk.shards_left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    hand_over(chunk);
    chunk.in_use.store(false, std::memory_order_release);
    announce();
  }
  return true;
}

/// Each shard found its samples in the order of the capture; merged, they all are.
void ShardedRun::hand_over(Chunk& chunk) {
  if (!sink_) return;
  merged_.clear();
  std::vector<std::span<const PlacedSample>> rest(chunk.found.begin(), chunk.found.end());
  const auto place = [&](std::span<const PlacedSample> samples) {
    // Counted from the chunk's start, since the index may wrap within it.
    return samples.empty() ? unknown : std::uint64_t{samples.front().index - chunk.first_index};
  };
  while (true) {
    auto& next = *std::ranges::min_element(rest, {}, place);
    if (next.empty()) break;
    merged_.push_back(next.front().sample);
    next = next.subspan(1);
  }
  if (!merged_.empty()) sink_->take(merged_);
}

/// Sleeping and being woken takes longer than most waits last, so it first looks for a while.
void ShardedRun::await_news(std::uint32_t seen) const {
  for (int looks = 0; looks < 4000; ++looks) {
    if (news_.load(std::memory_order_acquire) != seen) return;
    rest();
  }
  news_.wait(seen, std::memory_order_acquire);
}

void ShardedRun::announce() {
  news_.fetch_add(1, std::memory_order_release);
  news_.notify_all();
}

}  // namespace sojourn
