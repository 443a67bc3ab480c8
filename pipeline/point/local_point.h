#pragma once
// A measurement point whose collector is in the same process: packets in, reports out.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "capture/source.h"
#include "collector/report/point_report.h"
#include "core/packet.h"
#include "pipeline/live_loop.h"
#include "pipeline/point/cell_table.h"
#include "pipeline/rtt_options.h"
#include "pipeline/rtt_pipeline.h"

namespace sojourn {

struct LocalPointOptions {
  PointIdentity point;
  RttOptions rtt;
  CellOptions cells = {};
  Duration every = std::chrono::seconds{5};
};

/// Round trips only: one point has no one-way delays.  Runs on one thread.
class LocalPoint {
 public:
  explicit LocalPoint(const LocalPointOptions& options);

  void process(std::span<const Packet> packets);
  void note_drops(std::uint64_t dropped) { kernel_drops_ = dropped; }
  /// Tells the time: returns a report if one is due.
  std::optional<PointReport> advance(Timestamp now);
  /// The last report, with the rest.
  PointReport finish(Timestamp now);

  /// Does all of that with the packets of `source`, until it is stopped: `take` gets the reports,
  /// including the last one.  True if the source ended by itself.
  bool run(Source& source, const std::atomic<bool>& stop, const GoOn& go_on,
           const std::function<Timestamp()>& clock, const std::function<void(PointReport)>& take);

  std::uint64_t packets() const { return frames_; }
  std::uint64_t samples() const { return cells_.samples(); }
  std::uint64_t samples_left_out() const { return cells_.left_out(); }
  std::size_t memory_bytes() const;
  const RttPipeline& pipeline() const { return rtt_; }

 private:
  PointReport report(Timestamp now);

  LocalPointOptions options_;
  CellTable cells_;
  RttPipeline rtt_;
  Timestamp now_{}, next_report_{};
  std::uint64_t frames_ = 0, kernel_drops_ = 0, next_number_ = 1;
};

}  // namespace sojourn
