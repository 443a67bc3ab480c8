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

/// One run.  Packets are pushed with `process`, or pulled from a source: `step` in a loop with one
/// thread; `run` does that, or spreads the work.
class RttPipeline {
 public:
  using Tick = std::function<void()>;

  /// `sink` is given the samples, if `options.want_samples`; it must outlive this.
  explicit RttPipeline(const RttOptions& options, SampleSink* sink = nullptr);

  /// Packets that somebody else captured, in the order of time, through all stages.  Their bytes
  /// are not needed after the call.  finish() after the last.
  void process(std::span<const Packet> packets);

  /// One batch of the source through all stages.  False when the source has ended, or is_full().
  bool step(Source& source);

  /// All batches, until the source ends or `stop` turns true.  `tick` is called now and then, on
  /// the calling thread, for progress.
  void run(Source& source, const std::atomic<bool>& stop, const Tick& tick = {});

  /// The same with a live source and one thread, which asks `go_on` before every batch.
  void run_live(Source& source, const std::atomic<bool>& stop, const GoOn& go_on);

  /// After the last `step`, if `run` is not used.
  void finish();

  /// Of a live run, between two steps: the figures since the last call, or the start.  Those that
  /// follow begin at nothing, but requests go on waiting: their delays are in the interval in which
  /// the response came.
  struct Interval {
    Measurement measurement;
    std::optional<LossTally> loss;  ///< if it was asked for
  };
  Interval take_interval();

  /// The figures so far.  With several threads only after `run`.
  const Measurement& measurement() const { return shards_[0]->measurement(); }
  /// Signs of loss so far, if they were asked for.
  const LossTally* loss() const;
  /// For those: the share of connections that memory allowed to follow, of the thread with the
  /// least.
  double connections_followed() const;
  /// exact: it would have needed more memory than TableChoice::limit_bytes.  A run then ends early,
  /// and the figures are of what came before.
  bool is_full() const;
  /// With several threads, what others had read when one was full: not measured.
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
