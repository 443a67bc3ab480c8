#include "pipeline/rtt_pipeline.h"

#include <algorithm>
#include <utility>

#include "pipeline/sharded_run.h"
#include "roundtrip/exact_table.h"

namespace sojourn {
namespace {

// Large enough to overlap the cache misses of a batch, small enough that its packets, summaries
// and events stay in the caches next to the core.
constexpr std::size_t batch_size = 128;

std::unique_ptr<RttShard> make_shard(const RttOptions& options) {
  return std::make_unique<TableShard<ExactTable>>(
      options, ExactTable{{.expire = options.expire, .expire_long_lived = options.expire_connections}});
}

}  // namespace

RttPipeline::RttPipeline(const RttOptions& options, SampleConsumer consumer)
    : options_(options),
      consumer_(std::move(consumer)),
      parser_(HashKey::from_seed(options.seed), options.kinds),
      packets_(batch_size),
      summaries_(batch_size) {
  for (unsigned i = 0; i < std::max(options.threads, 1u); ++i) shards_.push_back(make_shard(options));
}

bool RttPipeline::step(Source& source) {
  const Source::Filled filled = source.next(packets_);
  const std::span batch{packets_.data(), filled.count};
  time_span_.extend(batch);
  const std::size_t count = parser_.summarize(batch, summaries_, next_index_);
  next_index_ += static_cast<std::uint32_t>(filled.count);

  shards_[0]->process({summaries_.data(), count}, samples_);
  for (const PlacedSample& placed : samples_) consumer_(placed.sample);
  samples_.clear();
  skipped_ = parser_.skipped();
  return !filled.end;
}

void RttPipeline::run(Source& source, const std::atomic<bool>& stop, const Tick& tick) {
  if (options_.threads > 1) return run_threads(source, stop, tick);
  for (std::size_t batches = 0; !stop.load(std::memory_order_relaxed) && step(source); ++batches)
    if (tick && batches % 256 == 0) tick();
}

void RttPipeline::run_threads(Source& source, const std::atomic<bool>& stop, const Tick& tick) {
  ShardedRun sharded{source, shards_, HashKey::from_seed(options_.seed), options_.kinds, consumer_};
  sharded.run(stop, tick);
  time_span_ = sharded.time_span();
  skipped_ = sharded.skipped();
  for (std::size_t i = 1; i < shards_.size(); ++i)
    shards_[0]->measurement().merge(std::move(shards_[i]->measurement()));
}

const Measurement& RttPipeline::measurement() {
  // Every request that is stored either finds its response, is ambiguous, or is left over.
  Measurement& measurement = shards_[0]->measurement();
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    KindCounters& counters = measurement.counters(kind);
    const std::uint64_t answered = measurement.pooled(kind).count() +
                                   (options_.keep_ambiguous ? 0 : counters.ambiguous);
    counters.unmatched_requests = counters.requests - std::min(counters.requests, answered);
  }
  return measurement;
}

std::size_t RttPipeline::memory_bytes() const {
  std::size_t total = 0;
  for (const auto& shard : shards_) total += shard->memory_bytes();
  return total;
}

}  // namespace sojourn
