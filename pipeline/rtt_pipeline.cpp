#include "pipeline/rtt_pipeline.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "pipeline/sharded_run.h"
#include "roundtrip/tables/table_choice.h"

namespace sojourn {
namespace {

/// Each thread is a table of its own: its flows, its arrivals, its share of the memory.  One table
/// for all with counters of their own would be biased.
std::unique_ptr<RttShard> make_shard(RttOptions options) {
  options.table.memory_bytes /= std::max(options.threads, 1u);
  options.table.connection_bytes /= std::max(options.threads, 1u);
  options.table.limit_bytes /= std::max(options.threads, 1u);
  if (options.table.kind != TableKind::exact) options.measurement.keep = Keep::histogram;
  options.measurement.keep_ambiguous = options.keep_ambiguous;
  std::shared_ptr<HostNames> names;
  if (options.names) {
    names = std::make_shared<HostNames>(NameObserver::most_hosts(options));
    if (options.measurement.grouping) options.measurement.grouping->name_hosts(names);
  }
  auto shard = with_table(options.table, [&](auto table) -> std::unique_ptr<RttShard> {
    return std::make_unique<TableShard<decltype(table)>>(options, std::move(table));
  });
  if (names) shard->learn_names(std::move(names));
  return shard;
}

}  // namespace

RttPipeline::RttPipeline(const RttOptions& options, SampleSink* sink)
    : options_(options),
      sink_(sink),
      parser_(HashKey::from_seed(options.seed), kinds_to_parse(options)),
      packets_(batch_size),
      summaries_(batch_size) {
  for (unsigned i = 0; i < std::max(options.threads, 1u); ++i)
    shards_.push_back(make_shard(options));
  if (groups_by_interface(options)) parser_.tell_interfaces();
}

void RttPipeline::process(std::span<const Packet> packets) {
  while (!packets.empty()) {
    const std::size_t count = std::min(packets.size(), batch_size);
    process_batch(packets.first(count), false);
    packets = packets.subspan(count);
  }
}

bool RttPipeline::step(Source& source) {
  const Source::Filled filled = source.next(packets_);
  process_batch({packets_.data(), filled.count}, filled.in_order);
  return !filled.end && !is_full();
}

void RttPipeline::process_batch(std::span<const Packet> batch, bool in_order) {
  time_span_.extend(batch, in_order);
  const std::size_t count = parser_.summarize(batch, summaries_, next_index_);
  next_index_ += static_cast<std::uint32_t>(batch.size());

  CopyFilter& copies = shards_[0]->copy_filter();
  const auto kept = copies.remove({summaries_.data(), count});
  shards_[0]->observe(kept);
  shards_[0]->process(kept, samples_);
  skipped_ = parser_.skipped();
  skipped_[Skip::copy] = copies.copies();
  hand_over();
}

void RttPipeline::hand_over() {
  if (sink_ && !samples_.empty()) {
    handed_over_.clear();
    for (const PlacedSample& placed : samples_) handed_over_.push_back(placed.sample);
    sink_->take(handed_over_);
  }
  samples_.clear();
}

void RttPipeline::finish() {
  for (const auto& shard : shards_) shard->finish(samples_);
  hand_over();
  for (std::size_t i = 1; i < shards_.size(); ++i) {
    shards_[0]->measurement().merge(std::move(shards_[i]->measurement()));
    if (shards_[0]->names()) shards_[0]->names()->names().merge(shards_[i]->names()->names());
    if (shards_[0]->loss()) shards_[0]->loss()->tally().merge(shards_[i]->loss()->tally());
  }
}

void RttPipeline::run(Source& source, const std::atomic<bool>& stop, const Tick& tick) {
  if (options_.threads > 1) {
    run_threads(source, stop, tick);
  } else {
    for (std::size_t batches = 0; !stop.load(std::memory_order_relaxed) && step(source); ++batches)
      if (tick && batches % 256 == 0) tick();
  }
  finish();
}

void RttPipeline::run_live(Source& source, const std::atomic<bool>& stop, const GoOn& go_on) {
  loop_live(stop, go_on, [&] { return step(source); });
  finish();
}

void RttPipeline::run_threads(Source& source, const std::atomic<bool>& stop, const Tick& tick) {
  ShardedRun sharded{source,
                     shards_,
                     HashKey::from_seed(options_.seed),
                     kinds_to_parse(options_),
                     groups_by_interface(options_),
                     sink_};
  sharded.run(stop, tick);
  time_span_ = sharded.time_span();
  skipped_ = sharded.skipped();
}

RttPipeline::Interval RttPipeline::take_interval() {
  assert(shards_.size() == 1);
  RttShard& shard = *shards_[0];
  Interval interval{shard.take_measurement(), std::nullopt};
  if (shard.loss()) interval.loss = shard.loss()->take_tally();
  return interval;
}

const LossTally* RttPipeline::loss() const {
  return shards_[0]->loss() ? &shards_[0]->loss()->tally() : nullptr;
}

double RttPipeline::connections_followed() const {
  double least = 1;
  for (const auto& shard : shards_)
    if (shard->loss()) least = std::min(least, shard->loss()->followed_share());
  return least;
}

bool RttPipeline::is_full() const {
  return std::ranges::any_of(shards_, [](const auto& shard) { return shard->is_full(); });
}

std::uint64_t RttPipeline::packets_beyond_limit() const {
  std::uint64_t packets = 0;
  for (const auto& shard : shards_) packets += shard->packets_beyond_limit();
  return packets;
}

RttPipeline::Memory RttPipeline::memory() const {
  Memory memory;
  for (const auto& shard : shards_) {
    memory.table_bytes += shard->table_bytes();
    memory.connection_bytes += shard->connection_bytes();
  }
  return memory;
}

std::vector<std::pair<std::string, std::uint64_t>> RttPipeline::table_counters() const {
  auto total = shards_[0]->table_counters();
  for (std::size_t i = 1; i < shards_.size(); ++i) {
    const auto more = shards_[i]->table_counters();
    for (std::size_t k = 0; k < total.size(); ++k) total[k].second += more[k].second;
  }
  if (const auto& grouping = options_.measurement.grouping; grouping && grouping->needs_marks())
    total.emplace_back("group-names-without-room", grouping->group_names_without_room());
  return total;
}

}  // namespace sojourn
