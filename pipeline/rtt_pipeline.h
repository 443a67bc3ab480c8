#pragma once
// Packets in, delays out: the order of the stages.
//
//     source -> parser -> pairing -> table -> measurement (and the consumer of samples)

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/source.h"
#include "core/sample.h"
#include "core/sample_sink.h"
#include "estimate/measurement.h"
#include "pipeline/live_loop.h"
#include "pipeline/rtt_options.h"
#include "pipeline/rtt_shard.h"
#include "pipeline/time_span.h"
#include "wire/parser.h"

namespace sojourn {

/// One run.  Packets are pushed with `process`, or pulled from a source: call `step` in a loop with
/// one thread, or `run`, which does that or uses several threads.
class RttPipeline {
 public:
  using Tick = std::function<void()>;

  /// `sink` gets the samples, if `options.want_samples`; it must outlive this object.
  explicit RttPipeline(const RttOptions& options, SampleSink* sink = nullptr);

  /// Passes the caller's own packets through all stages; they must be in the order of time.  Their
  /// bytes are not needed after the call.  Call finish() after the last.
  void process(std::span<const Packet> packets);

  /// Passes one batch of the source through all stages.  False when the source has ended, or
  /// is_full().
  bool step(Source& source);

  /// All batches, until the source ends or `stop` turns true.  `tick` is called from time to time
  /// on the calling thread, for progress.
  void run(Source& source, const std::atomic<bool>& stop, const Tick& tick = {});

  /// The same with a live source and one thread; calls `go_on` before every batch.
  void run_live(Source& source, const std::atomic<bool>& stop, const GoOn& go_on);

  /// After the last `step`, if `run` is not used.
  void finish();

  /// For a live run, between two steps: the figures since the last call, or the start.  The next
  /// figures start at zero, but requests keep waiting: a delay is in the interval in which its
  /// response came.
  struct Interval {
    Measurement measurement;
    std::optional<LossTally> loss;  ///< if it was asked for
  };
  Interval take_interval();

  /// The figures so far.  With several threads only after `run`.
  const Measurement& measurement() const { return shards_[0]->measurement(); }
  /// Signs of loss so far, if requested.
  const LossTally* loss() const;
  /// The share of connections that memory allowed to follow, on the thread with the smallest share.
  double connections_followed() const;
  /// exact: it would have needed more memory than TableChoice::limit_bytes.  A run then ends early,
  /// and the figures cover what came before.
  bool is_full() const;
  /// With several threads: packets that the others had read when one was full; not measured.
  std::uint64_t packets_beyond_limit() const;
  const TimeSpan& time_span() const { return time_span_; }
  const SkipCounters& skipped() const { return skipped_; }
  struct Memory {
    std::size_t table_bytes = 0;
    std::size_t connection_bytes = 0;
  };
  Memory memory() const;
  std::vector<std::pair<std::string, std::uint64_t>> table_counters() const;

 private:
  void process_batch(std::span<const Packet> batch, bool in_order);
  void hand_over();
  void run_threads(Source& source, const std::atomic<bool>& stop, const Tick& tick);

  RttOptions options_;
  SampleSink* sink_;
  Parser parser_;
  std::vector<std::unique_ptr<RttShard>> shards_;
  TimeSpan time_span_;
  SkipCounters skipped_;
  std::uint32_t next_index_ = 0;
  std::vector<Packet> packets_;
  std::vector<Summary> summaries_;
  std::vector<PlacedSample> samples_;
  std::vector<Sample> handed_over_;
};

}  // namespace sojourn
