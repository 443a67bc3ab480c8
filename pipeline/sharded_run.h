#pragma once
// Processes a capture on several threads, with the same samples as on one.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "capture/source.h"
#include "core/hash.h"
#include "core/huge_array.h"
#include "core/kind.h"
#include "core/sample_sink.h"
#include "pipeline/rtt_shard.h"
#include "pipeline/time_span.h"
#include "wire/parser.h"

namespace sojourn {

/// Each thread owns one shard of the flows and does two things in turn: it takes the next chunk of
/// packets from the source, parses it and distributes the summaries to the shards; and it processes
/// the summaries of its own shard, in the order of the chunks.  Only taking packets is serial.
///
///     chunk 0: parsed by A   shard A | shard B
///     chunk 1: parsed by B   shard A | shard B     each column is processed downwards
///     chunk 2: parsed by A   shard A | shard B     by its own thread
///
/// A ring of chunks bounds the memory and how far the threads may drift apart.
class ShardedRun {
 public:
  /// `sink` may be null if samples are not needed.
  ShardedRun(Source& source, std::span<const std::unique_ptr<RttShard>> shards, const HashKey& key,
             KindSet kinds, bool by_interface, SampleSink* sink);

  /// Returns when everything is processed.  The calling thread works too, and calls `tick` from
  /// time to time.
  void run(const std::atomic<bool>& stop, const std::function<void()>& tick);

  const TimeSpan& time_span() const { return time_span_; }
  const SkipCounters& skipped() const { return skipped_; }

 private:
  struct Chunk {
    std::uint32_t first_index = 0;
    std::vector<std::byte>
        bytes;  ///< copies that summaries point to, if the source does not keep them
    HugeArray<Summary> summaries;                  ///< by shard, with room for the chunk in each
    std::vector<Summary*> ends;                    ///< of each shard's
    std::vector<std::vector<PlacedSample>> found;  ///< by shard
    std::atomic<std::uint64_t> parsed_number{0};   ///< 1 + number of the chunk that is ready here
    std::atomic<std::size_t> shards_left{0};       ///< that still have to process it
    std::atomic<bool> in_use{false};               ///< taken and not yet delivered
  };
  struct Worker;

  void work(Worker& worker, const std::atomic<bool>& stop, const std::function<void()>& tick);
  bool take_chunk(Worker& worker, const std::atomic<bool>& stop);
  bool process_next(Worker& worker);
  void deal(Worker& worker, std::span<const Packet> packets, Chunk& chunk);
  void hand_over(Chunk& chunk);
  void announce();
  void await_news(std::uint32_t seen) const;

  Source& source_;
  std::span<const std::unique_ptr<RttShard>> shards_;
  HashKey key_;
  KindSet kinds_;
  bool by_interface_;
  SampleSink* sink_;
  std::vector<Sample> merged_;  ///< of a chunk, for the sink; only one thread delivers at a time
  std::vector<Chunk> ring_;
  std::mutex source_mutex_;
  std::uint64_t next_number_ = 0;          ///< of the chunk to take; guarded by source_mutex_
  std::uint32_t next_index_ = 0;           ///< of its first packet; guarded by source_mutex_
  std::atomic<bool> full_ = false;         ///< a shard is full: take no more
  std::atomic<std::uint64_t> end_number_;  ///< number of chunks in all, once it is known
  std::atomic<std::uint32_t> news_{0};     ///< changes when a waiting thread should check again
  TimeSpan time_span_;
  SkipCounters skipped_;
};

}  // namespace sojourn
