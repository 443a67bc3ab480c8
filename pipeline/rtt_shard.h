#pragma once
// The stages after the parser, for all packets or for one thread's share of the flows.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/sample.h"
#include "estimate/anonymizer.h"
#include "estimate/measurement.h"
#include "pipeline/copy_filter.h"
#include "pipeline/held_samples.h"
#include "pipeline/loss_observer.h"
#include "pipeline/name_observer.h"
#include "pipeline/rtt_options.h"
#include "pipeline/sample_marks.h"
#include "pipeline/turn_observer.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/rules/pairing.h"
#include "roundtrip/rules/sample_flow.h"
#include "roundtrip/table_batch.h"
#include "wire/summary.h"

namespace sojourn {

/// Packets per batch: enough to overlap the cache misses, few enough that packets, summaries and
/// events stay in the core's caches.
inline constexpr std::size_t batch_size = 128;

/// Pairing rules, table and measurement of one share of the flows.  The virtual call is per batch.
class RttShard {
 public:
  virtual ~RttShard() = default;

  /// Both directions of a flow go to the same shard, in the order of the capture.  Samples are
  /// appended to `samples` if they are wanted.
  virtual void process(std::span<const Summary> batch, std::vector<PlacedSample>& samples) = 0;

  /// After the last batch: samples whose weights were not known before, in the order of the
  /// capture.
  virtual void finish(std::vector<PlacedSample>& samples) = 0;

  /// The exact table or the connections have reached their limit: later packets are not measured.
  virtual bool is_full() const = 0;
  std::uint64_t packets_beyond_limit() const { return packets_beyond_limit_; }
  virtual std::size_t table_bytes() const = 0;
  virtual std::size_t connection_bytes() const = 0;
  /// Counts of a kind that table and rules keep themselves: `displaced` and `too_old`, if the table
  /// has them, and super-packets.
  struct FromStart {
    bool table_counts = false;
    KindCounters counters;
  };
  virtual FromStart counted_from_start(Kind kind) const = 0;
  /// What the table had to refuse or forget, by name.
  virtual std::vector<std::pair<std::string, std::uint64_t>> table_counters() const = 0;

  /// Looks for signs of loss, if requested; call it before process(), with the same batch.
  void observe(std::span<const Summary> batch) {
    if (loss_) [[unlikely]]
      loss_->look_at(batch);
    if (names_) [[unlikely]]
      names_->look_at(batch);
  }
  NameObserver* names() { return names_.get(); }
  /// From now on the labels of groups use these names.
  void learn_names(std::shared_ptr<HostNames> names) {
    names_ = std::make_unique<NameObserver>(std::move(names));
  }
  LossObserver* loss() { return loss_.get(); }

  /// The copy filter that its batches must pass before process().
  CopyFilter& copy_filter() { return copy_filter_; }

  Measurement& measurement() { return measurement_; }
  const Measurement& measurement() const { return measurement_; }
  /// The figures since the last call; the next ones start at zero.  Requests keep waiting.
  Measurement take_measurement();

 protected:
  RttShard(const RttOptions& options, const HashKey& key)
      : measurement_options_(options.measurement),
        measurement_(options.measurement),
        copy_filter_(key),
        loss_(options.loss ? std::make_unique<LossObserver>(options) : nullptr),
        turns_(TurnObserver::is_wanted(options) ? std::make_unique<TurnObserver>(options)
                                                : nullptr) {}

  MeasurementOptions measurement_options_;
  Measurement measurement_;
  std::array<KindCounters, kind_count> taken_{};  ///< counted_from_start() when last taken
  CopyFilter copy_filter_;
  std::unique_ptr<LossObserver> loss_;
  std::unique_ptr<TurnObserver> turns_;
  std::unique_ptr<NameObserver> names_;
  std::uint64_t packets_beyond_limit_ = 0;
};

/// The response is the last packet of the pair, so its addresses name both ends.
Sample describe(const PairEvent& response, const Match& match, const Summary& packet,
                std::span<const Prefix> inside);

template <PairTable Table>
class TableShard final : public RttShard {
 public:
  TableShard(const RttOptions& options, Table table)
      : RttShard(options, HashKey::from_seed(options.seed)),
        options_(options),
        pairing_(HashKey::from_seed(options.seed),
                 {.kinds = options.kinds,
                  .full_size = options.full_size,
                  .expire = options.table.patience.expire,
                  .exchange_bytes = exchange_bytes(options.table),
                  .most_connections = most_connections(options.table),
                  .most_quic_connections = most_quic_connections(options.table),
                  .connection_limit_bytes = connection_limit_bytes(options.table),
                  .in_use = options.table.patience.expire}),
        table_(std::move(table)),
        guess_mask_(options.inside.empty() ? leg_is_guessed : 0),  // else legs are named by place
        describes_samples_(options.want_samples || options.measurement.grouping.has_value() ||
                           !options.inside.empty()) {
    if (options.anonymize) anonymizer_.emplace(HashKey::from_seed(options.seed));
    marks_ = SampleMarks::make(options);
    notes_requests_ = loss_ && loss_->wants_requests();
  }

  void process(std::span<const Summary> batch, std::vector<PlacedSample>& samples) override {
    if (is_full()) {
      packets_beyond_limit_ += batch.size();
      return;
    }
    const std::size_t before = samples.size();
    if (turns_) [[unlikely]]
      turns_->look_at(batch, measurement_, samples);
    const bool turned = samples.size() > before;
    if (DelayHeatmap* const heatmap = measurement_.heatmap()) [[unlikely]]
      process_by_column(*heatmap, batch, samples);
    else
      process_part(batch, samples);
    if (turned) [[unlikely]]  // in the order of the capture, counted from the batch's start
      std::stable_sort(samples.begin() + static_cast<std::ptrdiff_t>(before), samples.end(),
                       [&](const PlacedSample& a, const PlacedSample& b) {
                         return a.index - batch[0].index < b.index - batch[0].index;
                       });
  }

 private:
  void process_part(std::span<const Summary> batch, std::vector<PlacedSample>& samples) {
    const auto events = pairing_.events(batch);
    if (notes_requests_) [[unlikely]]
      apply_noting(table_, events, outcome_);
    else
      apply_batch(table_, events, outcome_);
    for (std::size_t i = 0; i < paired_kind_count; ++i) {
      const Kind kind = static_cast<Kind>(i);
      KindCounters& counters = measurement_.counters(kind);
      counters.requests += outcome_.requests(kind);
      if constexpr (!is_exact) counters.left_out += outcome_.left_out(kind);
      if constexpr (requires { table_.displaced(kind); }) {
        counters.left_out[LeftOut::displaced] = table_.displaced(kind);
        counters.left_out[LeftOut::too_old] = table_.too_old(kind);
      }
    }
    measurement_.counters(Kind::tcp).super_packets = pairing_.super_packets().seen;
    measurement_.counters(Kind::tcp).super_packets_left_out = pairing_.super_packets().left_out;
    for (const PairEvent* const event : outcome_.counted())
      loss_->asked(*event, batch[event->summary]);
    if (!describes_samples_ && !notes_requests_ && !measurement_.is_over_time() && !joins_weights)
        [[likely]]
      return take_lightly(batch, samples);
    for (const EventMatch& found : outcome_.matches()) {
      const PairEvent& event = *found.event;
      if (notes_requests_) [[unlikely]]
        loss_->answered(event, found.match, batch[event.summary]);
      take(event, found.match, batch[event.summary], samples);
    }
  }

  /// Matches whose addresses are not needed: conditions that hold for a whole batch are not tested
  /// for each.
  void take_lightly(std::span<const Summary> batch, std::vector<PlacedSample>& samples) {
    const unsigned guessed = guess_mask_;
    for (const EventMatch& found : outcome_.matches()) {
      const PairEvent& event = *found.event;
      if (found.match.ambiguous | ((event.flags & guessed) != 0)) [[unlikely]] {
        take(event, found.match, batch[event.summary], samples);
        continue;
      }
      if (is_exact || found.match.weight == 1)
        measurement_.add_plain(event.kind, event.leg, found.match.delay, event.flow);
      else
        measurement_.add_weighted(event.kind, event.leg, found.match.delay, found.match.weight,
                                  event.flow);
    }
  }

  /// Requests are counted by batch; since a batch ends where its column does, this also counts them
  /// by column.
  void process_by_column(DelayHeatmap& heatmap, std::span<const Summary> batch,
                         std::vector<PlacedSample>& samples) {
    while (!batch.empty()) {
      const std::int64_t column = heatmap.column_of(batch.front().time);
      std::size_t count = 1;
      while (count < batch.size() && heatmap.column_of(batch[count].time) == column) ++count;
      std::array<std::uint64_t, paired_kind_count> before;
      for (std::size_t i = 0; i < paired_kind_count; ++i)
        before[i] = measurement_.counters(static_cast<Kind>(i)).requests;
      process_part(batch.first(count), samples);
      for (std::size_t i = 0; i < paired_kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (const auto asked = measurement_.counters(kind).requests - before[i]; asked > 0)
          heatmap.add_requests(batch.front().time, kind, static_cast<double>(asked));
      }
      batch = batch.subspan(count);
    }
  }

 public:
  void finish(std::vector<PlacedSample>& samples) override {
    if constexpr (joins_weights)
      held_.release([&](const PlacedSample& placed) { keep(placed, samples); });
  }

  bool is_full() const override {
    if constexpr (is_exact)
      return table_.is_full() || pairing_.is_full() || (turns_ && turns_->is_full());
    else
      return false;
  }
  std::size_t table_bytes() const override { return table_.memory_bytes(); }
  std::size_t connection_bytes() const override {
    return pairing_.memory_bytes() + (turns_ ? turns_->memory_bytes() : 0);
  }

  FromStart counted_from_start(Kind kind) const override {
    FromStart from_start;
    if (index_of(kind) >= paired_kind_count) return from_start;  // of no table
    if constexpr (requires { table_.displaced(kind); }) {
      from_start.table_counts = true;
      from_start.counters.left_out[LeftOut::displaced] = table_.displaced(kind);
      from_start.counters.left_out[LeftOut::too_old] = table_.too_old(kind);
    }
    if (kind == Kind::tcp) {
      from_start.counters.super_packets = pairing_.super_packets().seen;
      from_start.counters.super_packets_left_out = pairing_.super_packets().left_out;
    }
    return from_start;
  }

  std::vector<std::pair<std::string, std::uint64_t>> table_counters() const override {
    std::vector<std::pair<std::string, std::uint64_t>> counters;
    if constexpr (requires { table_.refused(); })
      counters.emplace_back("refused", table_.refused());
    if constexpr (requires { table_.too_old(); })
      counters.emplace_back("too-old", table_.too_old());
    if (options_.table.connection_bytes > 0)
      counters.emplace_back("connections-without-room", pairing_.connections_without_room());
    if (names_) counters.emplace_back("names-without-room", names_->names().without_room());
    return counters;
  }

 private:
  void take(const PairEvent& event, const Match& match, const Summary& packet,
            std::vector<PlacedSample>& samples) {
    if (match.ambiguous) {
      if (is_whole(event.kind, event.leg)) {
        measurement_.counters(event.kind).ambiguous += 1;
        measurement_.counters(event.kind).estimated_ambiguous += match.weight;
      }
      if (!options_.keep_ambiguous) {
        if (DelayHeatmap* const heatmap = measurement_.heatmap();
            heatmap && is_whole(event.kind, event.leg))
          heatmap->add_answered(event.time - match.delay, event.kind, match.weight);
        return;
      }
    }
    if (event.flags & guess_mask_) ++measurement_.counters(event.kind).guessed_legs;
    if (!joins_weights && !describes_samples_) {
      measurement_.add_light(event.kind, event.leg, event.time, match.delay,
                             is_exact ? 1.0 : match.weight, event.flow);
      return;
    }
    Sample sample = describe(event, match, packet, options_.inside);
    sample.flow = flow_of(event.kind, packet);
    if (marks_) marks_->put(event, packet, sample);
    if (anonymizer_) {
      sample.requester = anonymizer_->apply(sample.requester);
      sample.responder = anonymizer_->apply(sample.responder);
    }
    if constexpr (joins_weights)
      held_.add({packet.index, sample}, match.fridge);
    else
      keep({packet.index, sample}, samples);
  }

  void keep(const PlacedSample& placed, std::vector<PlacedSample>& samples) {
    measurement_.add(placed.sample);
    if (options_.want_samples) samples.push_back(placed);
  }

  static constexpr bool is_exact = std::is_same_v<Table, ExactTable>;
  /// fridges-ivw: the weights of samples depend on each other.
  static constexpr bool joins_weights = std::is_same_v<Table, FridgesIvwTable>;

  RttOptions options_;
  Pairing pairing_;
  Table table_;
  BatchOutcome outcome_;
  unsigned guess_mask_;
  HeldSamples held_;
  std::optional<Anonymizer> anonymizer_;
  std::unique_ptr<SampleMarks> marks_;
  bool notes_requests_ = false;
  bool describes_samples_;  ///< addresses are needed
};

}  // namespace sojourn
